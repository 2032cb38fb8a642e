import { exitCodes, StoreError } from "../errors.ts";
import { isErrno } from "../lib/files.ts";

/** The local limits that a run can meet anywhere, as the kind of failure they are; anything else as it is. */
export function expected(error: unknown): unknown {
  if (isErrno(error, "ENOSPC", "EDQUOT", "EFBIG")) {
    return new StoreError("the local disk is full", {
      cause: error,
      exitCode: exitCodes.disk,
      hint: "make room and run again; everything finished so far is kept",
    });
  }
  if (isErrno(error, "EACCES", "EROFS", "EMFILE", "ENFILE", "EIO")) {
    return new StoreError(`${error.path ?? "a file"}: ${error.message}`, {
      cause: error,
      exitCode: exitCodes.disk,
    });
  }
  return error;
}
