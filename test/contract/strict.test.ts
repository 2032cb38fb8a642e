import { testContract } from "./contract.ts";

testContract("strict");
