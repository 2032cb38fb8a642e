/** An original that could not be had, though the origin answers; the message says why. */
export class OriginalError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, options: ErrorOptions & { hint?: string } = {}) {
    super(message, options);
    this.hint = options.hint;
  }
}

/** No member of an item's object is known as the link to its file; the message names the members that it has. */
export class UnknownLinkError extends OriginalError {}

/** The origin itself has no file of an item; the message says how it shows. */
export class AbsentError extends Error {
  /** Whether it was asked for one, as opposed to naming none. */
  readonly asked: boolean;

  constructor(message: string, options: ErrorOptions & { asked?: boolean } = {}) {
    super(message, options);
    this.asked = options.asked ?? false;
  }
}
