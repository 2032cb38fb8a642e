import { homedir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "../errors.ts";
import { readText } from "../lib/files.ts";

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

export interface StoreSettings {
  region: string;
  /** Address of the store; undefined for that of AWS. */
  endpoint: string | undefined;
  /** Asked again for each request: those of a role are valid for some hours. */
  credentials: () => Promise<Credentials>;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Section = ReadonlyMap<string, string>;

/**
 * The settings of a store, as every tool of AWS finds them: in variables, then in the profile of the shared files.
 *
 * @throws ConfigError where there are no credentials, or the endpoint is no address
 */
export function readStoreSettings(environment: Environment = process.env): StoreSettings {
  const value = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const home = value("HOME") ?? homedir();
  const profile = value("AWS_PROFILE") ?? "default";
  const fileOf = (name: string, usual: string): string =>
    readText(value(name) ?? join(home, ".aws", usual)) ?? "";
  const config = sectionOf(fileOf("AWS_CONFIG_FILE", "config"), profile, "profile ");
  const shared = sectionOf(fileOf("AWS_SHARED_CREDENTIALS_FILE", "credentials"), profile);
  const own = fixedCredentials(value) ?? inSection(shared) ?? inSection(config);
  return {
    region:
      value("AWS_REGION") ?? value("AWS_DEFAULT_REGION") ?? config.get("region") ?? "us-east-1",
    endpoint: checkedEndpoint(
      value("AWS_ENDPOINT_URL_S3") ?? value("AWS_ENDPOINT_URL") ?? config.get("endpoint_url"),
    ),
    credentials: own === undefined ? roleCredentials() : async () => own,
  };
}

function fixedCredentials(value: (name: string) => string | undefined): Credentials | undefined {
  const [accessKeyId, secretAccessKey] = [
    value("AWS_ACCESS_KEY_ID"),
    value("AWS_SECRET_ACCESS_KEY"),
  ];
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: value("AWS_SESSION_TOKEN") };
}

function inSection(section: Section): Credentials | undefined {
  const accessKeyId = section.get("aws_access_key_id");
  const secretAccessKey = section.get("aws_secret_access_key");
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: section.get("aws_session_token") };
}

/** The settings below `[NAME]`; in one of the files the names of all but the default one have a word in front. */
function sectionOf(text: string, name: string, prefix = ""): Section {
  const found = new Map<string, string>();
  let isWanted = false;
  for (const line of text.split(/\r?\n/)) {
    const [, title] = /^\s*\[\s*(.*?)\s*\]/.exec(line) ?? [];
    if (title !== undefined) isWanted = title === name || title === prefix + name;
    const [, key, value] = /^([\w-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (isWanted && key !== undefined && value) found.set(key, value);
  }
  return found;
}

/** @throws ConfigError without repeating the address, which may have a password in it */
function checkedEndpoint(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined) return undefined;
  const parsed = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || parsed.username !== "") {
    throw new ConfigError("the endpoint of the store is no address without a user", {
      hint: "set AWS_ENDPOINT_URL to an address such as https://s3.example.org",
    });
  }
  return endpoint.replace(/\/+$/, "");
}

const providerPackage = "@aws-sdk/credential-provider-node";

/** Credentials of a role, of single sign-on or of the machine, which a package of AWS finds. */
function roleCredentials(): StoreSettings["credentials"] {
  let provider: Promise<() => Promise<Credentials>> | undefined;
  return async () => {
    provider ??= loadProvider();
    return await (await provider)();
  };
}

/** @throws ConfigError where the package is missing */
async function loadProvider(): Promise<() => Promise<Credentials>> {
  try {
    const { defaultProvider } = await import(providerPackage);
    return defaultProvider();
  } catch (cause) {
    throw new ConfigError("there are no credentials for the store", {
      cause,
      hint: `set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile in ~/.aws/credentials; for roles and single sign-on, "npm install ${providerPackage}"`,
    });
  }
}
