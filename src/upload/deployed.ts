import { z } from "zod";
import { exitCodes, TargetError } from "../errors.ts";
import { FileList } from "../lib/file-list.ts";
import { isBelow, type Target, type TargetObject } from "../targets/target.ts";
import { readSummed, summedObject } from "./summed.ts";

/** An object at a target. */
export interface DeployedObject {
  /** Its key. */
  path: string;
  sha256: string;
  bytes: number;
  /** Number of its headers in the list of all. */
  headers: number;
  /** Path and query of the request that it answers, where that is not its key. */
  url?: string | undefined;
  /** When a build came that has it no longer, in seconds since 1970. */
  left?: number | undefined;
}

const DeployedHead = z.object({
  /** Version of this form. */
  stillpress: z.literal(1),
  /** What lies there: what readers see, or a store. */
  kind: z.enum(["archive", "state"]),
  /** Grows by one with each publish. */
  generation: z.int(),
  /** Name of what was published, and when: ISO 8601. */
  name: z.string(),
  published: z.string(),
  /** The latest time of a file, in seconds since 1970: a build that follows has a later one. */
  newest: z.int(),
  /** Whether answers of the API have their own paths as keys, which the target can hold. */
  apiKeys: z.boolean(),
  headers: z.array(z.record(z.string(), z.string())),
});
type DeployedHead = z.infer<typeof DeployedHead>;

/** What a target holds, as its deploy manifest says. */
export interface Deployed extends DeployedHead {
  objects: FileList<DeployedObject>;
}

export const deployedKey = ".stillpress/deployed.ndjson";

/** What lies below it is not of a build. */
export const ownFolder = ".stillpress/";

export const nothingDeployed: Deployed = {
  ...{ stillpress: 1, kind: "archive", generation: 0, name: "", published: "", newest: 0 },
  ...{ apiKeys: false, headers: [], objects: new FileList() },
};

/** The deploy manifest of a target, read as a stream; undefined where there is none. @throws TargetError when it is damaged */
export async function readDeployed(target: Target): Promise<Deployed | undefined> {
  try {
    return await target.read(deployedKey, async ({ body }) => {
      const objects = new FileList<DeployedObject>();
      const head = await readSummed(body, (line) => objects.addLine(line));
      // What is listed may be removed.
      for (const path of objects.keys())
        if (!isBelow(path)) throw new SyntaxError(`${path} lies elsewhere`);
      return { ...DeployedHead.parse(head), objects };
    });
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof z.ZodError)) throw cause;
    throw new TargetError(`${target.name}: ${deployedKey} is damaged or of another version`, {
      exitCode: exitCodes.damaged,
      hint: "delete it there: the next publish sends every file again; what left the archive before stays there",
      cause,
    });
  }
}

/** The deploy manifest as an object. */
export function deployedObject({ objects, ...head }: Deployed): TargetObject {
  return summedObject(deployedKey, head, objects.pieces());
}
