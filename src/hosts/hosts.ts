import type { HostName } from "../config/host-names.ts";
import { apacheConfiguration } from "./apache.ts";
import { caddyConfiguration } from "./caddy.ts";
import { cloudflareConfiguration } from "./cloudflare.ts";
import { cloudfrontConfiguration } from "./cloudfront.ts";
import type { HostConfiguration, HostInput } from "./host.ts";
import { netlifyConfiguration } from "./netlify.ts";
import { nginxConfiguration } from "./nginx.ts";
import { vercelConfiguration } from "./vercel.ts";

/** What makes each host's configuration. */
export const hostConfigurations: Record<HostName, (input: HostInput) => HostConfiguration> = {
  nginx: nginxConfiguration,
  caddy: caddyConfiguration,
  apache: apacheConfiguration,
  netlify: netlifyConfiguration,
  cloudflare: cloudflareConfiguration,
  cloudfront: cloudfrontConfiguration,
  vercel: vercelConfiguration,
};
