import type { Formats } from "./formats.ts";
import type { WordKey } from "./wording.ts";

export type EmbedKind = "content" | "picture" | "video" | "sound" | "post";

interface Provider {
  hosts: RegExp;
  kind: EmbedKind;
  name: string;
  /** Path of the embedded document, and the page that shows the same; players refuse to be opened alone. */
  page?: [path: RegExp, page: string];
}

const providers: Provider[] = [
  {
    hosts: /^(?:youtube(?:-nocookie)?\.com|youtu\.be)$/,
    kind: "video",
    name: "YouTube",
    page: [/^\/embed\/([\w-]{11})$/, "https://www.youtube.com/watch?v=$1"],
  },
  {
    hosts: /^(?:player\.)?vimeo\.com$/,
    kind: "video",
    name: "Vimeo",
    page: [/^\/video\/(\d+)$/, "https://vimeo.com/$1"],
  },
  {
    hosts: /^(?:geo\.)?dailymotion\.com$/,
    kind: "video",
    name: "Dailymotion",
    page: [/^\/embed\/video\/(\w+)$/, "https://www.dailymotion.com/video/$1"],
  },
  {
    hosts: /^open\.spotify\.com$/,
    kind: "sound",
    name: "Spotify",
    page: [/^\/embed\/(\w+\/\w+)$/, "https://open.spotify.com/$1"],
  },
  { hosts: /^(?:w\.)?soundcloud\.com$/, kind: "sound", name: "SoundCloud" },
  { hosts: /^(?:twitter|x|platform\.twitter)\.com$/, kind: "post", name: "X" },
  { hosts: /^instagram\.com$/, kind: "post", name: "Instagram" },
  { hosts: /^tiktok\.com$/, kind: "video", name: "TikTok" },
  { hosts: /^(?:m\.)?facebook\.com$/, kind: "post", name: "Facebook" },
];

const bare: Record<EmbedKind, WordKey> = {
  content: "embed",
  picture: "body.picture",
  video: "videos",
  sound: "audio",
  post: "embed",
};

/** embedAt("video", "www.example.org", formats) → "Video at example.org" */
export function embedAt(kind: EmbedKind, host: string, { t }: Formats): string {
  const place = host.replace(/^www\./, "");
  if (place === "") return t(bare[kind], { n: 1 });
  return t(kind === "content" ? "embed.at" : `embed.${kind}`, { place });
}

/**
 * What to call a document of another website that a body embeds, and where to read it: on the page that a reader would
 * share, if the service has one.
 *
 * embedOf("https://www.youtube.com/embed/dQw4w9WgXcQ?rel=0", formats)
 *   → { url: "https://www.youtube.com/watch?v=dQw4w9WgXcQ", label: "Video at YouTube" }
 *
 * @param url absolute
 */
export function embedOf(url: string, formats: Formats) {
  const { hostname, pathname } = new URL(url);
  const host = hostname.replace(/^www\./, "");
  const provider = providers.find(({ hosts }) => hosts.test(host));
  if (provider === undefined) return { url, label: embedAt("content", host, formats) };
  const { kind, name, page: [path, page] = [] } = provider;
  const shared = path?.test(pathname) && page ? pathname.replace(path, page) : url;
  return { url: shared, label: embedAt(kind, name, formats) };
}
