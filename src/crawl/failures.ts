import { WebPage } from "../api/json-sink.ts";
import { ApiError, exitCodes } from "../errors.ts";
import type { CrawlContext } from "./context.ts";

/**
 * Whether a failure concerns one item only, so that the crawl goes on without it. Refused credentials, a used-up budget
 * and anything that is no answer of the origin end the run.
 */
export function isItemFailure(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status !== 401 && error.exitCode !== exitCodes.budget;
}

/**
 * A failure that concerns one item only. A refusal of the token is one if the token is good for others.
 *
 * @throws the error itself where it concerns the whole run; ApiError of the token that is refused altogether
 */
export async function itemFailureOf({ checkToken }: CrawlContext, error: unknown) {
  if (error instanceof ApiError && error.status === 401) {
    await checkToken();
    return error;
  }
  if (!isItemFailure(error)) throw error;
  return error;
}

/** The error of an answer that is not what the API document, or another answer, says. */
export function contractError(source: string, url: string, message: string): ApiError {
  return new ApiError(`${source}: ${message}`, { url, status: 200, attempts: 1 });
}

/** The error of a list with more items than are read. */
export function tooManyItems(source: string, url: string, most: number): ApiError {
  const message = `${source}: more items than crawl.limits.items (${most})`;
  return new ApiError(message, { url, status: 200, attempts: 1, exitCode: exitCodes.gaps });
}

/** Whether the origin may have stopped answering: it is silent, or has a page for people in the place of everything. */
export function isAway(error: ApiError): boolean {
  return isSilent(error) || causesOf(error).some((cause) => cause instanceof WebPage);
}

/** Whether the origin gave no answer, or none but that it cannot answer. */
export function isSilent(error: ApiError): boolean {
  return !isNoList(error) && (error.status === 0 || error.status >= 500);
}

/** Whether the origin says that there is no such thing, or no longer. */
export function isGone({ status }: ApiError): boolean {
  return status === 404 || status === 410;
}

/** Whether the answer is no list: no JSON, or not of the documented form. */
function isNoList(error: ApiError): boolean {
  if (error.exitCode === exitCodes.gaps) return false;
  return error.status === 200 || causesOf(error).some((cause) => cause instanceof SyntaxError);
}

function causesOf(error: Error): Error[] {
  const { cause } = error;
  return cause instanceof Error ? [cause, ...causesOf(cause)] : [];
}

const refusals = new Set([400, 401, 403, 404, 405, 410]);

/** Whether an answer means that the origin has no such list, or not for this token. */
export function isRefusal(error: ApiError): boolean {
  return refusals.has(error.status) || isNoList(error);
}

/** Does work whose refusal counts only when it comes twice: one may be a fault of the moment. */
export async function refusedTwice<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || !isRefusal(error)) throw error;
    return await work();
  }
}
