import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe } from "vitest";
import { reportMissing } from "./programs.ts";

/** Servers that run here as they are, with the configurations that stillpress writes for them. */
export const serverNames = ["nginx", "caddy", "apache"] as const;
export type ServerName = (typeof serverNames)[number];

const programs: Record<ServerName, string[]> = {
  nginx: ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"],
  caddy: ["/usr/bin/caddy", "/usr/local/bin/caddy"],
  apache: ["/usr/sbin/apache2", "/usr/sbin/httpd"],
};
const apacheModules = ["/usr/lib/apache2/modules", "/usr/lib64/httpd/modules"];

/** Whether a server can be run here. */
export function installed(host: ServerName): boolean {
  return programOf(host) !== undefined;
}

/** Whether a host can be asked here; a server that is not installed is told by a test of its own. */
export function isHere(host: string): boolean {
  const server = serverNames.find((one) => one === host);
  if (server === undefined || installed(server)) return true;
  reportMissing(server);
  return false;
}

/**
 * `describe` for tests of a server. Where it is not installed, one skipped test stands in their place, which fails with
 * the environment variable CI.
 */
export function describeHost(host: ServerName, title: string, tests: () => void): void {
  if (installed(host)) describe(`${host}: ${title}`, tests);
  else describe(`${host}: ${title}`, () => reportMissing(host));
}

export interface WebServerSettings {
  /** The publish root. Apache gets a copy of it, because its configuration lies among the files. */
  publicRoot: string;
  /** The folder with the configuration that stillpress wrote for this server. */
  deploy: string;
  /** Default: a free one. */
  port?: number | undefined;
}

export interface RunningHost {
  /** Without a slash at the end: "http://127.0.0.1:40123". */
  url: string;
  /** Stops the server and deletes its temporary files. */
  close(): Promise<void>;
}

/**
 * Starts a server on 127.0.0.1 with a configuration that stillpress wrote for it; its own files are temporary.
 * Resolves when it answers.
 *
 * @throws Error with what the server wrote when it does not start
 */
export async function startWebServer(
  host: ServerName,
  { publicRoot, deploy, port: wanted }: WebServerSettings,
): Promise<RunningHost> {
  const port = wanted ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), `stillpress-${host}-`));
  const { program, args, env } = commands[host]({ folder, deploy, publicRoot, port });
  let output = "";
  const child = spawn(program, args, {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-20_000);
    });
  }
  const killAll = (): void => kill(child, "SIGKILL");
  process.once("exit", killAll);
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const closed = new Promise((resolve) => child.once("close", resolve));
      kill(child, "SIGTERM");
      await Promise.race([closed, delay(2_000)]);
      killAll();
      await Promise.race([closed, delay(2_000)]);
    }
    process.removeListener("exit", killAll);
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + 15_000;
  while (Date.now() < deadline && child.exitCode === null) {
    const answer = await ask(url, "/").catch(() => undefined);
    if (answer !== undefined && child.exitCode === null) return { url, close };
    await delay(30);
  }
  const errorLog = join(folder, "error.log");
  const log = existsSync(errorLog) ? readFileSync(errorLog, "utf8") : "";
  await close();
  throw new Error(`${host} did not start:\n${output}${log}`);
}

/** What a server answered. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const agent = new Agent({ keepAlive: true });

interface AskOptions {
  method?: string;
  headers?: Record<string, string>;
}

/** Asks for a path and query exactly as they are written here, which fetch would tidy up; follows nothing. */
export function ask(url: string, target: string, options: AskOptions = {}): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, path: target, agent, timeout: 10_000, ...options },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, body: Buffer.concat(chunks) });
        });
      },
    );
    sent.on("error", (error: NodeJS.ErrnoException) => {
      // A server may close a connection that was kept open just when it is used again.
      if (sent.reusedSocket && error.code === "ECONNRESET") resolve(ask(url, target, options));
      else reject(error);
    });
    sent.on("timeout", () => sent.destroy(new Error(`no answer to ${target}`)));
    sent.end();
  });
}

/** A port of 127.0.0.1 that nothing listens on, for links that must be known before the server is started. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Place {
  folder: string;
  deploy: string;
  publicRoot: string;
  port: number;
}

interface Command {
  program: string;
  args: string[];
  env?: Record<string, string>;
}

const commands: Record<ServerName, (place: Place) => Command> = {
  nginx({ folder, deploy, publicRoot, port }) {
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((name) => `  ${name}_temp_path ${folder}/${name};`)
      .join("\n");
    // One process that keeps the user who runs the tests, so that it can read what only they can.
    const file = join(folder, "nginx.conf");
    writeFileSync(
      file,
      `daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
${temporary}
  include ${deploy}/stillpress-redirects-http.conf;
  include ${deploy}/stillpress-http.conf;
  server {
    listen 127.0.0.1:${port};
    root ${publicRoot};
    include ${deploy}/stillpress-server.conf;
    include ${deploy}/stillpress-redirects-server.conf;
  }
}
`,
    );
    return { program: program("nginx"), args: ["-p", folder, "-e", "stderr", "-c", file] };
  },
  caddy({ folder, deploy, publicRoot, port }) {
    const file = join(folder, "Caddyfile");
    writeFileSync(
      file,
      `{
	admin off
	auto_https off
	storage file_system ${folder}/storage
}
http://127.0.0.1:${port} {
	root * ${publicRoot}
	import ${deploy}/stillpress.caddy
}
`,
    );
    const env = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
    return {
      program: program("caddy"),
      args: ["run", "--config", file, "--adapter", "caddyfile"],
      env,
    };
  },
  apache({ folder, deploy, publicRoot, port }) {
    const root = join(folder, "public");
    cpSync(publicRoot, root, { recursive: true, dereference: true });
    cpSync(join(deploy, ".htaccess"), join(root, ".htaccess"));
    // Started by root it serves as somebody else, because it refuses to serve as root.
    execFileSync("chmod", ["-R", "a+rX", folder]);
    const modules = apacheModules.find((path) => existsSync(path)) ?? "";
    const names = "mpm_event authz_core rewrite headers mime dir filter deflate"
      .split(" ")
      .filter((name) => existsSync(join(modules, `mod_${name}.so`)));
    const unixd = existsSync(join(modules, "mod_unixd.so")) ? ["unixd"] : [];
    const file = join(folder, "httpd.conf");
    writeFileSync(
      file,
      `${[...names, ...unixd].map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`).join("\n")}
ServerRoot ${folder}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile ${folder}/httpd.pid
Mutex file:${folder} default
ErrorLog ${folder}/error.log
LogLevel warn
TypesConfig /dev/null
TraceEnable Off
StartServers 1
${process.getuid?.() === 0 ? "User nobody\nGroup nogroup" : ""}
DocumentRoot ${root}
<Directory />
  AllowOverride None
  Require all denied
</Directory>
<Directory ${root}>
  AllowOverride All
  Options FollowSymLinks Indexes
  Require all granted
</Directory>
`,
    );
    return { program: program("apache"), args: ["-d", folder, "-f", file, "-DFOREGROUND"] };
  },
};

function program(host: ServerName): string {
  const path = programOf(host);
  if (path === undefined) throw new Error(`${host} is not installed`);
  return path;
}

function programOf(host: ServerName): string | undefined {
  return programs[host].find((path) => existsSync(path));
}

/** Sends a signal to a server and everything that it started. */
function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has ended already.
  }
}
