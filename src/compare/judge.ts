import { andMore } from "../lib/words.ts";
import { type Change, compareJson } from "./answers.ts";
import type { ServerAnswer } from "./fetch.ts";
import type { OriginAnswer } from "./origin.ts";
import { distanceOf, isSamePicture, type Picture, pictureOf } from "./pictures.ts";
import { cutOriginText, type OriginHosts } from "./references.ts";

/** A difference between the mirror's answer and the origin's. */
export interface Finding {
  kind: "unreachable" | "status" | "type" | "json" | "size" | "picture" | "original" | "link";
  /** One line for people, without secrets. */
  text: string;
  changes?: Change[];
}

export async function judge(
  origin: Exclude<OriginAnswer, { form: "none" }>,
  mirror: ServerAnswer,
  hosts: OriginHosts,
  urls: string,
) {
  const found = (findings: Finding[]) => ({ findings, links: [] as string[] });
  if (mirror.failed !== undefined) return found([{ kind: "unreachable", text: mirror.failed }]);
  const wanted = origin.form === "status" ? origin.status : 200;
  if (mirror.status !== wanted) {
    return found([{ kind: "status", text: `origin ${wanted}, mirror ${mirror.status}` }]);
  }
  switch (origin.form) {
    case "status":
      return found([]);
    case "json":
      return judgeJson(origin.text, mirror, hosts, urls);
    case "picture":
      return found([
        ...typeFindings(origin.type, mirror.type),
        ...(await pictureFindings(origin.picture, mirror)),
      ]);
    case "file": {
      const findings = typeFindings(origin.type, mirror.type);
      if (mirror.sha256 === origin.sha256) return found(findings);
      const text = `origin ${origin.bytes} bytes, sha256 ${origin.sha256.slice(0, 16)}…; mirror ${mirror.size} bytes, sha256 ${mirror.sha256.slice(0, 16)}…`;
      return found([...findings, { kind: "original", text }]);
    }
  }
}

function judgeJson(text: string, mirror: ServerAnswer, hosts: OriginHosts, urls: string) {
  const findings = typeFindings("application/json", mirror.type);
  let value: unknown;
  try {
    value = JSON.parse(String(mirror.bytes));
  } catch {
    findings.push({ kind: "json", text: "the mirror's answer is not JSON" });
    return { findings, links: [] };
  }
  const cut = (written: string) => cutOriginText(written, hosts);
  const { changes, count, urls: links } = compareJson(JSON.parse(text), value, cut, urls);
  const [first] = changes;
  if (first !== undefined) {
    const place = first.path === "" ? "the answer" : first.path;
    const found = `${place}: origin ${first.origin}, mirror ${first.mirror}${andMore(count - 1)}`;
    findings.push({ kind: "json", text: found, changes });
  }
  return { findings, links };
}

function typeFindings(origin: string, mirror: string): Finding[] {
  // The origin says no type, or that it is unknown.
  if (origin === mirror || origin === "" || origin === "application/octet-stream") return [];
  return [{ kind: "type", text: `origin ${origin}, mirror ${mirror === "" ? "none" : mirror}` }];
}

async function pictureFindings(origin: Picture, mirror: ServerAnswer): Promise<Finding[]> {
  let picture: Picture;
  try {
    picture = await pictureOf(mirror.bytes ?? Buffer.alloc(0));
  } catch {
    return [{ kind: "picture", text: "the mirror's answer cannot be decoded as an image" }];
  }
  if (picture.width !== origin.width || picture.height !== origin.height) {
    const size = (of: Picture): string => `${of.width} × ${of.height}`;
    return [{ kind: "size", text: `origin ${size(origin)} pixels, mirror ${size(picture)}` }];
  }
  if (isSamePicture(origin, picture)) return [];
  const mean = distanceOf(origin, picture).toFixed(1);
  return [{ kind: "picture", text: `another picture: mean difference ${mean}` }];
}
