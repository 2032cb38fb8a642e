/** A document of another website that a body embeds, as a link to it. */
export interface Embed {
  /** Address to open, of the page that a reader would share where the service has one. */
  url: string;
  /** What it is and where, such as "Video at YouTube". */
  label: string;
}

interface Provider {
  hosts: RegExp;
  label: string;
  /** Path of the embedded document, and the page that shows the same; players refuse to be opened alone. */
  page?: [path: RegExp, page: string];
}

const providers: Provider[] = [
  {
    hosts: /^(?:youtube(?:-nocookie)?\.com|youtu\.be)$/,
    label: "Video at YouTube",
    page: [/^\/embed\/([\w-]{11})$/, "https://www.youtube.com/watch?v=$1"],
  },
  {
    hosts: /^(?:player\.)?vimeo\.com$/,
    label: "Video at Vimeo",
    page: [/^\/video\/(\d+)$/, "https://vimeo.com/$1"],
  },
  {
    hosts: /^(?:geo\.)?dailymotion\.com$/,
    label: "Video at Dailymotion",
    page: [/^\/embed\/video\/(\w+)$/, "https://www.dailymotion.com/video/$1"],
  },
  {
    hosts: /^open\.spotify\.com$/,
    label: "Sound at Spotify",
    page: [/^\/embed\/(\w+\/\w+)$/, "https://open.spotify.com/$1"],
  },
  { hosts: /^(?:w\.)?soundcloud\.com$/, label: "Sound at SoundCloud" },
  { hosts: /^(?:twitter|x|platform\.twitter)\.com$/, label: "Post at X" },
  { hosts: /^instagram\.com$/, label: "Post at Instagram" },
  { hosts: /^tiktok\.com$/, label: "Video at TikTok" },
  { hosts: /^(?:m\.)?facebook\.com$/, label: "Post at Facebook" },
];

/**
 * What to call an embedded document, and where to read it.
 *
 * embedOf("https://www.youtube.com/embed/dQw4w9WgXcQ?rel=0")
 *   → { url: "https://www.youtube.com/watch?v=dQw4w9WgXcQ", label: "Video at YouTube" }
 *
 * @param url absolute
 */
export function embedOf(url: string): Embed {
  const { hostname, pathname } = new URL(url);
  const host = hostname.replace(/^www\./, "");
  const provider = providers.find(({ hosts }) => hosts.test(host));
  if (provider === undefined) return { url, label: labelAt("Embedded content", host) };
  const { label, page: [path, page] = [] } = provider;
  const shared = path?.test(pathname) && page ? pathname.replace(path, page) : url;
  return { url: shared, label };
}

function labelAt(what: string, host: string): string {
  return host === "" ? what : `${what} at ${host}`;
}
