import { createHash } from "node:crypto";
import { exitCodes, TargetError } from "../errors.ts";
import { sha256 } from "../lib/digest.ts";
import { readAt, withHandle } from "../lib/files.ts";
import { xmlText } from "../lib/foreign.ts";
import type { createRequests, StoreRequest } from "./s3-requests.ts";
import { otherContent, type TargetObject } from "./target.ts";

type Requests = ReturnType<typeof createRequests>;

/** A store takes this many parts of an object. */
const maxParts = 10_000;
/** A larger file is sent in parts: a single request may have 5 GiB, and is sent again as a whole if it fails. */
export const usualPartBytes = 128 << 20;

/**
 * Puts a file in parts, each signed with its own digest. Nothing of it is seen before all are there.
 *
 * @throws TargetError where the file is not what it is said to be, or the store fails
 */
export async function putInParts(
  requests: Requests,
  key: string,
  object: TargetObject & { content: string },
  headers: StoreRequest["headers"],
  partBytes: number,
): Promise<void> {
  const begun = await requests.send({ method: "POST", key, query: { uploads: "" }, headers });
  const [, uploadId] = /<UploadId>([^<]+)</.exec(await begun.body.text()) ?? [];
  if (uploadId === undefined) throw new TargetError(`${key}: the store knows no uploads in parts`);
  try {
    const tags = await sendParts(requests, key, uploadId, object, partBytes);
    await complete(requests, key, uploadId, tags);
  } catch (error) {
    // Else the parts would be paid for without being seen.
    await requests.send({ method: "DELETE", key, query: { uploadId }, expected: [404] }).then(
      ({ body }) => body.dump(),
      () => {},
    );
    throw error;
  }
}

async function sendParts(
  requests: Requests,
  key: string,
  uploadId: string,
  object: TargetObject & { content: string },
  partBytes: number,
): Promise<string[]> {
  const size = Math.max(partBytes, Math.ceil(object.bytes / maxParts));
  const sum = createHash("sha256");
  const tags: string[] = [];
  await withHandle(object.content, "r", async (file) => {
    for (let from = 0; from < object.bytes; from += size) {
      const wanted = Math.min(size, object.bytes - from);
      const bytes = await readAt(file, from, wanted);
      sum.update(bytes);
      const part = { ...object, bytes: bytes.length, sha256: sha256(bytes), content: [bytes] };
      const query = { partNumber: String(tags.length + 1), uploadId };
      const answer = await requests.send({ method: "PUT", key, query, object: part });
      await answer.body.dump();
      tags.push(String(answer.headers.etag));
    }
  });
  if (sum.digest("hex") !== object.sha256) throw otherContent(object);
  return tags;
}

/** Puts the parts together. A store may say so with 200 and fail all the same. */
async function complete(
  requests: Requests,
  key: string,
  uploadId: string,
  tags: readonly string[],
): Promise<void> {
  const parts = tags.map((tag, at) => {
    return `<Part><PartNumber>${at + 1}</PartNumber><ETag>${xmlText(tag)}</ETag></Part>`;
  });
  const text = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join("")}</CompleteMultipartUpload>`;
  const content = [Buffer.from(text)];
  const list = { key, bytes: Buffer.byteLength(text), sha256: sha256(text), headers: {}, content };
  const answer = await requests.send({ method: "POST", key, query: { uploadId }, object: list });
  const said = /<Code>([^<]{1,100})<\/Code>/.exec(await answer.body.text())?.[1];
  if (said !== undefined) {
    throw new TargetError(`${key}: the store did not put its parts together: ${said}`, {
      exitCode: exitCodes.origin,
      hint: "run again: only what is missing is sent",
    });
  }
}
