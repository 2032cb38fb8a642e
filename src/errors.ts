export const exitCodes = {
  complete: 0,
  bug: 1,
  usage: 2,
  gaps: 3,
  credentials: 4,
  damaged: 5,
  locked: 6,
  disk: 7,
  origin: 8,
  budget: 9,
  guard: 10,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** In the words of `--help` and the README. */
export const exitMeanings: Record<ExitCode, string> = {
  [exitCodes.complete]: "complete, changed or not",
  [exitCodes.bug]: "a bug in stillpress",
  [exitCodes.usage]: "wrong usage or configuration",
  [exitCodes.gaps]: "finished with gaps; nothing was published",
  [exitCodes.credentials]:
    "the origin, the publish target or the engine's queue refused the credentials",
  [exitCodes.damaged]: "the store or the output is damaged, or a verification failed",
  [exitCodes.locked]: "another run holds the lock, here or at the publish target",
  [exitCodes.disk]:
    "the local disk is full or may not be written, a local limit is reached, or the engine's queue is gone",
  [exitCodes.origin]: "the origin or the publish target is unusable or breaks its contract",
  [exitCodes.budget]: "the time or rate budget is used up; run again to continue",
  [exitCodes.guard]: "refused by a guard, such as the one against mass deletions",
  [exitCodes.interrupted]: "interrupted (SIGINT), state saved",
  [exitCodes.terminated]: "terminated (SIGTERM), state saved",
};

/** What `report.md` tells its reader to do, where the error has no hint of its own. */
export const exitAdvice: Partial<Record<ExitCode, string>> = {
  [exitCodes.bug]:
    "Report it with the stack trace that stands on stderr. The store is safe: run again.",
  [exitCodes.usage]: "Correct what the message names and run again. Nothing was requested.",
  [exitCodes.gaps]:
    'Run "stillpress snapshot" again: only what is missing is requested. To publish with the gaps below: "stillpress snapshot --allow-incomplete".',
  [exitCodes.credentials]: "Check the token, and whether it may list what is refused.",
  [exitCodes.damaged]: 'Run "stillpress repair".',
  [exitCodes.disk]: "Make room or give access, then run again. Everything finished so far is kept.",
  [exitCodes.origin]: "Run again later. What was read stays in the store.",
  [exitCodes.budget]: "Run again: it goes on where this run stopped.",
  [exitCodes.guard]: "Read the message and check the origin before you change a setting.",
};

export interface ErrorDetails {
  /** What the reader can do; printed on a line of its own. */
  hint?: string | undefined;
  cause?: unknown;
}

export abstract class StillpressError extends Error {
  abstract readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details);
    this.name = new.target.name;
    this.hint = details.hint;
  }
}

/** A wrong setting or argument, found before the first request. */
export class ConfigError extends StillpressError {
  readonly exitCode = exitCodes.usage;
}

export interface ApiErrorDetails extends ErrorDetails {
  /** Printable URL: without signature, expiry and credentials. */
  url: string;
  /** 0 without a usable answer. */
  status: number;
  attempts: number;
  /** The host that `origin.allowHosts` has to name first. */
  host?: string | undefined;
  /** If the status alone does not tell. */
  exitCode?: ExitCode;
}

/** The origin refused, failed for good, or broke its documented form. */
export class ApiError extends StillpressError {
  readonly exitCode: ExitCode;
  readonly url: string;
  readonly status: number;
  readonly attempts: number;
  readonly host: string | undefined;

  constructor(message: string, details: ApiErrorDetails) {
    super(message, details);
    this.url = details.url;
    this.status = details.status;
    this.attempts = details.attempts;
    this.host = details.host;
    const refused = details.status === 401 || details.status === 403;
    this.exitCode = details.exitCode ?? (refused ? exitCodes.credentials : exitCodes.origin);
  }
}

/** The store or the output is damaged, or in use by another run. */
export class StoreError extends StillpressError {
  readonly exitCode: ExitCode;

  constructor(message: string, details: ErrorDetails & { exitCode?: ExitCode } = {}) {
    super(message, details);
    this.exitCode = details.exitCode ?? exitCodes.damaged;
  }
}

/** A place beside the origin, such as a publish target or a queue, refused, failed for good, or is in use by another run. */
export class TargetError extends StillpressError {
  readonly exitCode: ExitCode;

  constructor(message: string, details: ErrorDetails & { exitCode?: ExitCode } = {}) {
    super(message, details);
    this.exitCode = details.exitCode ?? exitCodes.origin;
  }
}

/** The snapshot or its media have gaps. */
export class GapsError extends StillpressError {
  readonly exitCode = exitCodes.gaps;
}

/** A guard refused a probable mistake, such as a mass deletion. */
export class GuardError extends StillpressError {
  readonly exitCode = exitCodes.guard;
  /** All items that vanished at once, by kind, id and title; the message names a few. */
  readonly vanished: readonly string[] | undefined;

  constructor(message: string, details: ErrorDetails & { vanished?: readonly string[] } = {}) {
    super(message, details);
    this.vanished = details.vanished;
  }
}

/** The time budget is used up; everything finished is in the store. */
export class BudgetError extends StillpressError {
  readonly exitCode = exitCodes.budget;
}

/** A signal stopped the run; everything finished is in the store. */
export class Interrupted extends StillpressError {
  readonly exitCode: ExitCode;

  constructor(signal: "SIGINT" | "SIGTERM") {
    super(`interrupted by ${signal}`, { hint: "run the same command again to continue" });
    this.exitCode = signal === "SIGINT" ? exitCodes.interrupted : exitCodes.terminated;
  }
}

/** Undefined where a StoreError says that it is missing or damaged. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}
