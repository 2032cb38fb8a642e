import { testContract } from "./contract.ts";

testContract("odd");
