import { plural } from "../lib/words.ts";
import type { MediaKind } from "../routes/table.ts";
import type { Answer } from "./prober.ts";
import type { Finding, Survey } from "./survey.ts";

/** A path of the configuration, and where it could lead. */
export interface Search {
  subject: string;
  /** The setting: `articleImages`. */
  path: string;
  /** Of what the lists are. */
  kind: MediaKind;
  /** Stands for {id}. */
  id?: string;
  candidates: readonly string[];
  /** Requests that are left for later questions. */
  spare?: number;
  /** How sure it is that an answer is what is looked for; undefined where it is not. */
  fits: (answer: Answer) => "sure" | "likely" | undefined;
  /** Where no candidate is it. */
  none: Pick<Finding, "means" | "certainty"> & { value: unknown };
}

/** Asks the candidates in turn, up to the first whose answer fits. */
export async function findPath({ prober, files, pages }: Survey, search: Search): Promise<Finding> {
  const { subject, kind, id = "", candidates, spare = 0, fits, none } = search;
  const path = `origin.paths.${search.path}` as const;
  const failed: Answer[] = [];
  for (const candidate of candidates) {
    if (!prober.affords(1 + spare)) break;
    const answer = await prober.ask(candidate.replace("{id}", encodeURIComponent(id)));
    if (answer === undefined) break;
    const certainty = fits(answer);
    if (certainty === undefined) {
      failed.push(answer);
      continue;
    }
    for (const object of answer.page?.data ?? []) files.push({ kind, object });
    pages.set(search.path, answer.page);
    const means = certainty === "sure" ? "there" : "there, with another number than counted";
    const setting = { path, value: candidate };
    return { subject, asked: `GET ${candidate}`, came: answer.came, means, certainty, setting };
  }
  const asked = `GET ${candidates[0]}`;
  if (failed.length === 0) {
    const told = { subject, asked, came: "not asked", certainty: "unknown" } as const;
    return { ...told, means: "no request is left", setting: { path, value: candidates[0] } };
  }
  const others = failed.length > 1 ? `, nor at ${plural(failed.length - 1, "other path")}` : "";
  const told = { subject, asked, came: `${failed[0]?.came}${others}` };
  if (failed.length < candidates.length && none.certainty !== "missing") {
    const means = "not all usual paths were asked: no request is left";
    return { ...told, means, certainty: "unknown" };
  }
  const { means, certainty, value } = none;
  return { ...told, means, certainty, setting: { path, value } };
}
