/** Hosts that a configuration can be written for. */
export const hostNames = [
  "nginx",
  "caddy",
  "apache",
  "netlify",
  "cloudflare",
  "cloudfront",
  "vercel",
] as const;
export type HostName = (typeof hostNames)[number];
