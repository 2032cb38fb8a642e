import { functionConfiguration, functionStart } from "./functions.ts";
import { constantFile, type HostConfiguration, type HostInput } from "./host.ts";

/**
 * A Lambda@Edge function for origin requests, in front of an S3 bucket with the publish root's files, and the parts
 * of the distribution's configuration that it needs.
 */
export function cloudfrontConfiguration(input: HostInput): HostConfiguration {
  const start = functionStart("createOriginRequest", [input.rules.root, input.url]);
  return functionConfiguration(input, {
    files: [
      { path: "index.js", content: `${start}\nexport const handler = answer;\n` },
      constantFile("cloudfront/distribution.json"),
    ],
    limits: [
      "files above 700 kB are sent by the bucket, with the types and headers that they were uploaded with",
      input.url === null &&
        "links in JSON lead to the distribution's own host name while site.url is null, and JSON above 1 MB is not answered",
      "URLs above 8,192 bytes are refused by CloudFront, with its own body",
      "changes in the bucket show after five minutes, or later where a cache still has the old answer",
    ],
  });
}
