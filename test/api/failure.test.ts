import { describe, expect, it } from "vitest";
import { backoffMs, isRetried, toldToWait, transportFailure } from "../../src/api/failure.ts";

describe("isRetried", () => {
  it.each([
    [{ status: 0 }, 1, true],
    [{ status: 0 }, 4, true],
    [{ status: 0 }, 5, false],
    [{ status: 0, final: true }, 1, false],
    [{ status: 408 }, 1, true],
    [{ status: 425 }, 1, true],
    [{ status: 500 }, 3, true],
    [{ status: 502 }, 1, true],
    [{ status: 503 }, 1, true],
    [{ status: 504 }, 5, false],
    [{ status: 503, retryAfterMs: 7_000 }, 5, true],
    [{ status: 503, retryAfterMs: 7_000 }, 20, false],
    [{ status: 503, retryAfterMs: 0 }, 5, false],
    [{ status: 429 }, 19, true],
    [{ status: 429 }, 20, false],
    [{ status: 429, retryAfterMs: 86_400_000 }, 1, true],
    [{ status: 429, retryAfterMs: -3_600_000 }, 2, true],
    [{ status: 500, retryAfterMs: 7_000 }, 5, false],
    [{ status: 200 }, 1, false],
    [{ status: 302 }, 1, false],
    [{ status: 400 }, 1, false],
    [{ status: 401 }, 1, false],
    [{ status: 403, retryAfterMs: 7_000 }, 1, false],
    [{ status: 404 }, 1, false],
    [{ status: 410 }, 1, false],
    [{ status: 501 }, 1, false],
  ])("%o after %i attempts → %s", (failure, attempts, expected) => {
    expect(isRetried(failure, attempts)).toBe(expected);
  });
});

describe("backoffMs", () => {
  it.each([
    [1, 500],
    [2, 1_000],
    [4, 4_000],
    [7, 30_000],
    [19, 30_000],
  ])("after %i attempts: %i ms", (attempts, expected) => {
    expect(backoffMs(attempts, 500)).toBe(expected);
  });
});

describe("toldToWait", () => {
  it.each([
    [{ status: 429 }, true],
    [{ status: 503, retryAfterMs: 1_000 }, true],
    [{ status: 503 }, false],
    [{ status: 500, retryAfterMs: 1_000 }, false],
    [{ status: 0 }, false],
  ])("%o → %s", (failure, expected) => {
    expect(toldToWait(failure)).toBe(expected);
  });
});

describe("a certificate", () => {
  // Codes of "X509 certificate error codes" in the documentation of node:tls.
  it.each([
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /NODE_EXTRA_CA_CERTS/],
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", /NODE_EXTRA_CA_CERTS/],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", /NODE_EXTRA_CA_CERTS/],
    ["SELF_SIGNED_CERT_IN_CHAIN", /NODE_EXTRA_CA_CERTS/],
    ["CERT_HAS_EXPIRED", /must renew it/],
    ["ERR_TLS_CERT_ALTNAME_INVALID", /of another host/],
  ])("that fails with %s is final, with the hint that helps", (code, hint) => {
    const failure = transportFailure(Object.assign(new Error("certificate"), { code }));
    expect(failure).toMatchObject({ final: true });
    expect(failure.hint).toMatch(hint);
  });
});
