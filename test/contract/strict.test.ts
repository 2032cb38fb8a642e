import { testContract } from "./contract.ts";

// Its files have flat addresses, which are not yet recognised.
testContract("strict", ["Files of videos, documents, audio"]);
