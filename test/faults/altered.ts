import type { OriginOptions } from "../../src/demo/options.ts";

type Intercept = NonNullable<OriginOptions["intercept"]>;

/**
 * Changes the origin's own JSON answers on their way: what `change` gives is sent as the body of the same status.
 * Answers whose text it returns as it was are untouched all the same.
 *
 * @param baseUrl of the origin, asked once more for each answer
 * @param change gets the text and the path with its query
 */
export function altered(
  baseUrl: () => string,
  change: (text: string, path: string) => string,
): Intercept {
  return (request, response) => {
    const path = request.url ?? "";
    if (request.headers["x-unaltered"] !== undefined || path.includes("signature=")) return false;
    const headers = { authorization: request.headers.authorization ?? "", "x-unaltered": "1" };
    void fetch(new URL(path, baseUrl()), { headers })
      .then(async (answer) => {
        const type = answer.headers.get("content-type") ?? "application/json";
        const text = change(await answer.text(), path);
        response.writeHead(answer.status, { "content-type": type }).end(text);
      })
      .catch(() => response.destroy());
    return true;
  };
}
