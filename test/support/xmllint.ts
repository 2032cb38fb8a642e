import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const schemas = fileURLToPath(new URL("../fixtures/schemas", import.meta.url));

/** Throws unless the XML is valid by a schema of `test/fixtures/schemas`. */
export function requireValid(xml: string, schema: "atom.rng" | "sitemap.xsd"): void {
  const kind = schema.endsWith(".rng") ? "--relaxng" : "--schema";
  // The schema limits long lists, which libxml2 checks only if it may use more memory than usual.
  const args = ["--noout", "--nonet", "--huge", kind, `${schemas}/${schema}`, "-"];
  execFileSync("xmllint", args, { input: xml, stdio: ["pipe", "ignore", "pipe"] });
}
