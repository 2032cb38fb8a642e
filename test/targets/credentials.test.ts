import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exitCodes } from "../../src/errors.ts";
import { readStoreSettings } from "../../src/targets/credentials.ts";
import { placeOf } from "../../src/targets/place.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "stillpress-home-"));
  mkdirSync(join(home, ".aws"));
});
afterEach(() => rmSync(home, { recursive: true }));

const keys = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "key" };

describe("the settings of a store", () => {
  it("come from variables first", async () => {
    writeFileSync(join(home, ".aws/config"), "[default]\nregion = eu-west-1\n");
    const { region, endpoint, credentials } = readStoreSettings({
      ...keys,
      HOME: home,
      AWS_SESSION_TOKEN: "token",
      AWS_REGION: "eu-north-1",
      AWS_ENDPOINT_URL: "https://one.example.org",
      AWS_ENDPOINT_URL_S3: "https://s3.example.org/",
    });
    expect(region).toBe("eu-north-1");
    expect(endpoint).toBe("https://s3.example.org");
    expect(await credentials()).toEqual({
      accessKeyId: "id",
      secretAccessKey: "key",
      sessionToken: "token",
    });
  });

  it("come from the profile of the shared files", async () => {
    writeFileSync(
      join(home, ".aws/credentials"),
      "[default]\naws_access_key_id=A\naws_secret_access_key=B\n\n[press]\r\naws_access_key_id = C\r\naws_secret_access_key = D=\r\n",
    );
    writeFileSync(
      join(home, ".aws/config"),
      "# of the office\n[default]\nregion = eu-west-1\n[profile press]\nregion=eu-west-3\nendpoint_url = https://s3.example.org\n",
    );
    const usual = readStoreSettings({ HOME: home });
    expect(usual).toMatchObject({ region: "eu-west-1", endpoint: undefined });
    expect(await usual.credentials()).toMatchObject({ accessKeyId: "A", secretAccessKey: "B" });
    const press = readStoreSettings({ HOME: home, AWS_PROFILE: "press" });
    expect(press).toMatchObject({ region: "eu-west-3", endpoint: "https://s3.example.org" });
    expect(await press.credentials()).toMatchObject({ accessKeyId: "C", secretAccessKey: "D=" });
  });

  it("name the package for roles where there are none", async () => {
    const { credentials } = readStoreSettings({ HOME: home });
    await expect(credentials()).rejects.toMatchObject({
      exitCode: exitCodes.usage,
      hint: expect.stringContaining("npm install @aws-sdk/credential-provider-node"),
    });
  });

  it.each(["s3.example.org", "ftp://s3.example.org", "https://user:secret@s3.example.org"])(
    "refuse the endpoint %s without repeating it",
    (endpoint) => {
      const read = () => readStoreSettings({ ...keys, HOME: home, AWS_ENDPOINT_URL: endpoint });
      expect(read).toThrow("is no address without a user");
      expect(read).not.toThrow("secret");
    },
  );
});

describe("a place", () => {
  it.each([
    ["s3://bucket", { kind: "s3", bucket: "bucket", prefix: "" }],
    ["s3://my.bucket-1/", { kind: "s3", bucket: "my.bucket-1", prefix: "" }],
    ["s3://bucket//a/b//", { kind: "s3", bucket: "bucket", prefix: "a/b/" }],
    ["dir:/srv/www", { kind: "dir", path: "/srv/www" }],
    ["dir:C:\\www", { kind: "dir", path: "C:\\www" }],
  ])("%s", (name, place) => {
    expect(placeOf(name)).toEqual({ name, ...place });
  });
});
