import { createRemarks } from "../../src/media/remarks.ts";

/** Of a snapshot whose files are all as usual. */
export const noRemarks = createRemarks({ active: false, givenUp: false }).remarks();
