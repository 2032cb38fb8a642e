/** The form of a row: a request, what the API document says of it, and the answer that follows. */

export const personalityNames = ["plain", "odd", "strict"] as const;
export type PersonalityName = (typeof personalityNames)[number];

/** Who answers: the origin itself, and each way to put its archive on the web. */
export const hosts = ["origin", "serve", "nginx", "caddy", "apache", "worker"] as const;
export type Host = (typeof hosts)[number];

/** Hosts that answer alike: those that run no program of ours, those that make no images, those of an archive. */
const groups = {
  static: ["nginx", "caddy", "apache"],
  files: ["nginx", "caddy", "apache", "worker"],
  archive: ["serve", "nginx", "caddy", "apache", "worker"],
} as const satisfies Record<string, readonly Host[]>;
type Group = keyof typeof groups;

/** What an answer must be. What is not named is not looked at. */
export interface Answer {
  /** 200 if it is not named; "none" for any status but 200, where the document shows none. */
  status?: number | "none";
  /** Content type without parameters. */
  type?: string;
  /** The items of `data` in this order, by slug or title; their ids are checked against the origin's. */
  names?: string;
  /** Members of the JSON, such as "meta.current_page"; undefined = there is no such member. */
  is?: Record<string, string | number | boolean | null | undefined | RegExp>;
  /** Somewhere in the answer's text. */
  text?: string;
  /** Nowhere in the answer's text. */
  lacks?: string;
  /**
   * Links among the members, with the request each one stands for, or null. To follow the link must give what that
   * request gives; where links have the API's own form, the link is that request, to the letter.
   */
  links?: Record<string, string | null>;
  /** Pixels, "1600x1200". */
  size?: string;
  /** Where, in pixels from the left or from the top, red ends and blue begins: what was cut off, and from where. */
  across?: readonly [number, number];
  down?: readonly [number, number];
  /** The content's file of this name, byte by byte. */
  file?: string;
}

export interface Difference extends Answer {
  /** Why this is no fault. */
  why: string;
  /** In a word, for the table of hosts. */
  word?: string;
}

export interface Row extends Answer {
  /** The sentence of the API document. */
  says: string;
  /** Path and query below the base; {name} stands for the id of what has that slug or title. */
  ask: string;
  method?: "HEAD";
  /** Sent by default, as clients do that know of nothing but another address. */
  token?: false;
  /** The link among the members that is followed before anything is checked: the first of these that is there. */
  follow?: readonly string[];
  /** For whom the whole answer is another: a host or a group of them, else a personality. */
  on?: Partial<Record<Host | Group | PersonalityName, Difference>>;
}

/** How a host differs, whatever the personality. */
export function differenceOf({ on = {} }: Row, host: Host): Difference | undefined {
  const names = Object.keys(groups) as Group[];
  const group = names.find((name) => on[name] && (groups[name] as readonly Host[]).includes(host));
  return on[host] ?? (group && on[group]);
}

/** Rows that one line of the table of hosts stands for. */
export interface Kind {
  kind: string;
  rows: readonly Row[];
}
