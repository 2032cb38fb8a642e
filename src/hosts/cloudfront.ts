import { headersOf } from "../routes/headers.ts";
import { endpointFact, requestCode } from "./cloudfront-request.ts";
import { siteFolders, topOf, usualLinkEndings } from "./edge-requests.ts";
import type { HostConfiguration, HostInput } from "./host.ts";
import { grouped, oldAddressLimits, sizeLimits } from "./limits.ts";

/** docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits, "Maximum size of a function", bytes */
const largestFunction = 10_240;

/**
 * Two CloudFront Functions (runtime 2.0) in front of an S3 bucket with the publish root's files, and a part of the
 * distribution's configuration. A function cannot look whether an object exists.
 */
export function cloudfrontConfiguration(input: HostInput): HostConfiguration {
  const endings = unusualEndings(input);
  // A link has a first segment of its author's choice, which the function must know.
  const noLinks = { ...input, linked: { ...input.linked, files: [] } };
  const whole = requestFunction(input, endings);
  const usual = requestFunction(input, {});
  const [fits, fitsUsual] = [whole, usual].map((text) => Buffer.byteLength(text) < largestFunction);
  const request = fits ? whole : fitsUsual ? usual : requestFunction(noLinks, {});
  const leftOut = fits ? 0 : Object.keys(endings).length;
  const links = fitsUsual ? 0 : input.linked.files.length;
  return {
    files: [
      { path: "request.js", content: request },
      { path: "response.js", content: responseFunction(input) },
      { path: "distribution.json", content: distribution(input) },
    ],
    ...limitsFor(input, { leftOut, links, bytes: Buffer.byteLength(request) }),
  };
}

/** Endings that are not the usual ones of their kind: of originals by segments, and of linked files by paths. */
function unusualEndings(input: HostInput): Record<string, string> {
  const usual = usualLinkEndings(input);
  const links = input.linked.files.filter(({ path, ending }) => usual.get(topOf(path)) !== ending);
  return Object.fromEntries([
    ...input.originals.others.map(({ segment, ending }) => [segment, ending]),
    ...links.map(({ path, ending }) => [path, ending]),
  ]);
}

function requestFunction(input: HostInput, endings: Record<string, string>): string {
  const { rules, originals, years, preflight, headers, notFound } = input;
  const facts: Record<string, unknown> = {
    ROOT: `/${rules.root}`,
    FILTERS: rules.filters,
    YEARS: years,
    SLOTS: rules.slots,
    USUAL: originals.endings[0] ?? ".jpg",
    ENDINGS: endings,
    LINKED: Object.fromEntries(usualLinkEndings(input)),
    PREFLIGHT: preflight,
    MISSING: { "Content-Type": "application/json", ...headersOf(notFound.api, headers) },
  };
  const lines = Object.entries(facts).map(
    ([name, value]) => `const ${name} = ${JSON.stringify(value)};`,
  );
  const endpoints = rules.endpoints.map((endpoint) => endpointFact(endpoint, input));
  return `// Written by stillpress. CloudFront Function, runtime 2.0, for viewer requests: leads requests for the API to files.
// Behaviour: allow GET, HEAD, OPTIONS; no query strings in the cache key.
const crypto = require("crypto");
${lines.join("\n")}
// Pattern of fixed parameters and path, place of the answers (">": redirect), kind, names of the parameters, filters.
const ENDPOINTS = [
${endpoints.join(",\n")}
];
const FOLDERS = /^${siteFolders(input).replaceAll("/", "\\/")}$/;
const U = undefined;
${requestCode}`;
}

/** Headers by the path of the file, or by that of the request: which of them this event has does not matter. */
function responseFunction({ headers }: HostInput): string {
  return `// Written by stillpress. CloudFront Function, runtime 2.0, for viewer responses: headers of the archive's files.
const RULES = ${JSON.stringify(headers.map(({ prefix, suffix, headers: fields }) => [prefix, suffix, fields]))};

function handler(event) {
  const response = event.response;
  const uri = event.request.uri;
  RULES.forEach(function (rule) {
    if (uri.indexOf(rule[0]) !== 0 || uri.slice(uri.length - rule[1].length) !== rule[1]) return;
    Object.keys(rule[2]).forEach(function (name) {
      response.headers[name.toLowerCase()] = { value: rule[2][name] };
    });
  });
  return response;
}
`;
}

/** The parts of a DistributionConfig that belong to the archive; CloudFront has one set of error pages for all paths. */
function distribution({ notFound }: HostInput): string {
  const page = {
    ResponsePagePath: `/${notFound.site}`,
    ResponseCode: "404",
    ErrorCachingMinTTL: 300,
  };
  const items = [403, 404].map((code) => ({ ErrorCode: code, ...page }));
  const AllowedMethods = { Quantity: 3, Items: ["GET", "HEAD", "OPTIONS"] };
  const configuration = {
    Comment: "stillpress: S3 origin with the publish root, functions request.js and response.js",
    DefaultCacheBehavior: { AllowedMethods, Compress: true },
    CustomErrorResponses: { Quantity: items.length, Items: items },
  };
  return `${JSON.stringify(configuration, null, 2)}\n`;
}

/** @param given numbers of files whose endings, and of those whose paths were left out, and size of the function */
function limitsFor(
  { rules, oldAddresses }: HostInput,
  { leftOut, links, bytes }: { leftOut: number; links: number; bytes: number },
) {
  const most = grouped(largestFunction);
  const endings = `the endings of ${grouped(leftOut)} originals do not fit into a function of ${most} bytes, so that these downloads are answered with 404`;
  const tooLarge = `the function has ${grouped(bytes)} bytes, and CloudFront takes ${most}`;
  return {
    limits: [
      ...sizeLimits(rules.slots, "boxes"),
      "the function cannot look whether an object exists: a list of an unknown category or tag is answered with 404, as is one of a year or month without articles between the first and the last",
      "CloudFront has one error page for all paths, so that the body of a 404 for an object that does not exist is the website's, without the API's headers",
      "methods other than GET, HEAD and OPTIONS are answered with 403, and only URLs above 8,192 bytes are refused for their length",
      "content types are those that were given to the objects when they were uploaded",
      ...oldAddressLimits(oldAddresses.size),
      leftOut > 0 && endings,
      links > 0 &&
        `the paths of ${grouped(links)} links to files do not fit either, and are answered with 404`,
    ].filter((limit) => limit !== false),
    exceeded: [bytes >= largestFunction && tooLarge].filter((limit) => limit !== false),
  };
}
