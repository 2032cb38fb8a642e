import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "./web-servers.ts";

/** What of Debian's packages has to be installed: swift, swift-account, -container, -object, -proxy and memcached. */
export const swiftPrograms = ["swift-proxy-server", "swift-object-server", "memcached"];

const parts = ["account", "container", "object"] as const;
const user = { account: "test", name: "tester", key: "testing" };

export type Swift = Awaited<ReturnType<typeof startSwift>>;

/** OpenStack Swift with its S3 API, on one disk: a store that checks signatures and digests, and knows no conditions. */
export async function startSwift() {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-swift-"));
  const etc = join(folder, "etc");
  mkdirSync(etc);
  mkdirSync(join(folder, "disks", "one"), { recursive: true });
  const ports = { account: 0, container: 0, object: 0, proxy: 0, cache: 0 };
  for (const name of Object.keys(ports) as (keyof typeof ports)[]) ports[name] = await freePort();
  const common = `bind_ip = 127.0.0.1\nswift_dir = ${etc}\nworkers = 0\nuser = ${userInfo().username}\n`;
  const hash = "swift_hash_path_suffix = still\nswift_hash_path_prefix = press";
  const policy = "[storage-policy:0]\nname = Policy-0\ndefault = yes";
  writeFileSync(join(etc, "swift.conf"), `[swift-hash]\n${hash}\n${policy}\n`);
  for (const part of parts) {
    const builder = join(etc, `${part}.builder`);
    const ring = (...args: string[]) => execFileSync("swift-ring-builder", [builder, ...args]);
    ring("create", "4", "1", "1");
    ring("add", `r1z1-127.0.0.1:${ports[part]}/one`, "1");
    ring("rebalance");
    const disks = `devices = ${join(folder, "disks")}\nmount_check = false\ndisable_fallocate = true`;
    writeFileSync(
      join(etc, `${part}-server.conf`),
      `[DEFAULT]\nbind_port = ${ports[part]}\n${common}${disks}\n[pipeline:main]\npipeline = ${part}-server\n[app:${part}-server]\nuse = egg:swift#${part}\n`,
    );
  }
  writeFileSync(join(etc, "proxy-server.conf"), proxyOf(ports, common));
  const children = [
    start("memcached", ["-l", "127.0.0.1", "-p", String(ports.cache), "-u", userInfo().username]),
    ...[...parts, "proxy"].map((part) =>
      start(`swift-${part}-server`, [join(etc, `${part}-server.conf`)]),
    ),
  ];
  const url = `http://127.0.0.1:${ports.proxy}`;
  const close = async (): Promise<void> => {
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(children.map(ended));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const all = Object.values(ports).map((port) => `http://127.0.0.1:${port}`);
  for (let waited = 0; !(await everyAnswers(all)); waited += 100) {
    if (waited > 30_000) {
      await close();
      throw new Error("Swift did not start");
    }
    await delay(100);
  }
  return {
    url,
    environment: {
      AWS_ENDPOINT_URL: url,
      AWS_ACCESS_KEY_ID: `${user.account}:${user.name}`,
      AWS_SECRET_ACCESS_KEY: user.key,
    },
    /** Makes a bucket that everybody can read; returns its address. */
    async makeBucket(name: string): Promise<string> {
      const login = await fetch(`${url}/auth/v1.0`, {
        headers: { "X-Auth-User": `${user.account}:${user.name}`, "X-Auth-Key": user.key },
      });
      const address = `${login.headers.get("x-storage-url")}/${name}`;
      const token = login.headers.get("x-auth-token") ?? "";
      const headers = { "X-Auth-Token": token, "X-Container-Read": ".r:*" };
      const isMade = (): Promise<boolean> =>
        fetch(address, { method: "PUT", headers }).then(
          ({ ok }) => ok,
          () => false,
        );
      // On a busy machine, its first answers can be errors, and cut off.
      for (let waited = 0; !(await isMade()); waited += 500) {
        if (waited >= 30_000) throw new Error(`Swift made no bucket ${name} within 30 s`);
        await delay(500);
      }
      return address;
    },
    close,
  };
}

function proxyOf(ports: { proxy: number; cache: number }, common: string): string {
  const filters = [
    "catch_errors",
    "proxy_logging",
    "listing_formats",
    "s3api",
    "tempauth",
    "slo",
    "dlo",
  ];
  const sections = filters.map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`);
  const own = `user_${user.account}_${user.name} = ${user.key} .admin\n`;
  return [
    `[DEFAULT]\nbind_port = ${ports.proxy}\n${common}`,
    "[pipeline:main]\npipeline = catch_errors proxy_logging cache listing_formats s3api tempauth slo dlo proxy_logging proxy-server\n",
    "[app:proxy-server]\nuse = egg:swift#proxy\nallow_account_management = true\naccount_autocreate = true\nerror_suppression_interval = 0\n",
    `[filter:cache]\nuse = egg:swift#memcache\nmemcache_servers = 127.0.0.1:${ports.cache}\n`,
    ...sections.map((text) => (text.includes(":tempauth]") ? text + own : text)),
  ].join("");
}

function start(program: string, args: readonly string[]): ChildProcess {
  return spawn(program, args, { stdio: "ignore" });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once("close", resolve));
}

/** Whether something listens at each of these, whatever it says. */
async function everyAnswers(urls: readonly string[]): Promise<boolean> {
  const listen = urls.map((url) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    return once(socket, "connect")
      .then(
        () => true,
        () => false,
      )
      .finally(() => socket.destroy());
  });
  return (await Promise.all(listen)).every(Boolean);
}
