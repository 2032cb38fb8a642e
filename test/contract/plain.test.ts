import { testContract } from "./contract.ts";

testContract("plain");
