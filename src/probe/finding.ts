/** What one question to an origin brought to light. */
export interface Finding {
  /** What it is about: `images of articles`. */
  subject: string;
  /** The request: `GET /articles/7f3c/images`. */
  asked: string;
  /** The answer in a few words: `404`, `20 of 120 items`. */
  came: string;
  means: string;
  /** "unknown" where the origin shows nothing that would tell; "missing" where a setting has to be filled in. */
  certainty: "sure" | "likely" | "unknown" | "missing";
  /** The setting that it decides, and the value that this origin needs; undefined where that could not be found. */
  setting?: { path: string; value: unknown };
}
