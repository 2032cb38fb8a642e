import { functionConfiguration, functionStart } from "./functions.ts";
import { constantFile, type HostConfiguration, type HostInput } from "./host.ts";
import { grouped } from "./limits.ts";

/** vercel.com/docs/limits: static file uploads on the plans Hobby and Pro, in bytes */
const uploads = { hobby: 100 * 10 ** 6, pro: 10 ** 9 };

/** Routing Middleware for all requests. All of it belongs beside the publish root `public`. */
export function vercelConfiguration(input: HostInput): HostConfiguration {
  const { bytes } = input.totals;
  const [plan, most] = bytes > uploads.pro ? ["Pro", "1 GB"] : ["Hobby", "100 MB"];
  // The header is what next() of @vercel/functions sends.
  const script = `${functionStart("createFunction", [input.rules.root])}
export const config = { runtime: "nodejs" };
export default (request) => answer(request) ?? new Response(null, { headers: { "x-middleware-next": "1" } });
`;
  return functionConfiguration(input, {
    files: [constantFile("vercel/vercel.json"), { path: "middleware.js", content: script }],
    limits: [
      "every request runs the middleware, and once more for each file that it reads; plans have a number of runs a month",
      bytes > uploads.hobby &&
        `uploads may be limited to ${most} on the plan ${plan}, and this archive has ${grouped(bytes)} bytes`,
    ],
  });
}
