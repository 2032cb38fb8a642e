import { StillpressError } from "../errors.ts";
import { xmlText } from "../lib/foreign.ts";
import type { Handler } from "../serve/handler.ts";
import { type OpenPages, withReload } from "./open-pages.ts";

export interface Previewed {
  /** Answers with the files of a preview. */
  answer: Handler;
  pages: OpenPages;
  version: () => string;
  /** Told of each page that could not be rendered. */
  onFailure: (error: StillpressError) => void;
}

/** Answers pages that reload themselves; one that cannot be rendered says why, and comes back when that is mended. */
export function previewHandler({ answer, pages, version, onFailure }: Previewed): Handler {
  return async (request, target) => {
    const own = pages.answer(request);
    if (own !== undefined) return own;
    try {
      return await answer(request, target);
    } catch (error) {
      if (!(error instanceof StillpressError)) throw error;
      onFailure(error);
      const headers = { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" };
      return new Response(withReload(failurePage(error), version()), { status: 500, headers });
    }
  };
}

const style = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:0 auto;padding:2rem 1rem}h1{font-size:1.25rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:1rem;border-left:4px solid #c33;background:#8882}`;

function failurePage({ message, hint }: StillpressError): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'">
<title>This page cannot be rendered</title>
<style>${style}</style>
</head>
<body>
<h1>This page cannot be rendered</h1>
<pre>${xmlText(message)}</pre>
${hint === undefined ? "" : `<p>${xmlText(hint)}</p>\n`}<p>It comes back by itself when this is mended.</p>
</body>
</html>
`;
}
