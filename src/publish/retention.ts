import { olderFirst } from "../store/snapshots.ts";

/** What is kept beside what readers see, the newest complete snapshot, and those that a rollback leads to. */
export interface Retention {
  /** Newest snapshots. */
  snapshots: number;
  /** Snapshots that are no older; undefined where age is no reason to keep one. */
  days: number | undefined;
  /** The newest snapshot of each of so many days, weeks and months that have one; in UTC, weeks begin on Monday. */
  daily: number;
  weekly: number;
  monthly: number;
  /** Builds before the published one. */
  builds: number;
}

/** The first letters of a snapshot's id, which is made of its time, that all ids of one period share. */
const periods = {
  daily: (id: string): string => id.slice(0, "2026-11-28".length),
  weekly: (id: string): string => mondayOf(id.slice(0, "2026-11-28".length)),
  monthly: (id: string): string => id.slice(0, "2026-11".length),
} as const;

/** mondayOf("2026-11-28") → "2026-11-23" */
function mondayOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}

/** The snapshots that a retention keeps. @param ids the oldest first */
export function keptSnapshots(
  ids: readonly string[],
  retention: Omit<Retention, "builds">,
  now: Date,
): ReadonlySet<string> {
  const { snapshots, days } = retention;
  const kept = new Set(snapshots > 0 ? ids.slice(-snapshots) : []);
  if (days !== undefined) {
    const since = new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 19);
    for (const id of ids) if (olderFirst(since.replaceAll(":", "-"), id) <= 0) kept.add(id);
  }
  for (const name of Object.keys(periods) as (keyof typeof periods)[]) {
    const newest = new Map<string, string>();
    for (const id of ids) newest.set(periods[name](id), id);
    const last = [...newest.values()].slice(-retention[name]);
    if (retention[name] > 0) for (const id of last) kept.add(id);
  }
  return kept;
}
