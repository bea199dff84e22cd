/** Secrets and signatures of Standard Webhooks. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { readSigningKeys, signedHeaders } from "../../../../src/cli/changes/webhook/sign-delivery.ts";
import { emptyFolder } from "../../support/cli.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const keysOf = (secret: string) => readSigningKeys(undefined, { SITEATLAS_WEBHOOK_SECRET: secret });

test("the signature is the one that the libraries of Standard Webhooks test with", () => {
  // The example of https://docs.svix.com/receiving/verifying-payloads/how-manual
  const body = Buffer.from('{"test": 2432232314}');
  const headers = signedHeaders(keysOf(SECRET), "msg_p5jXN8AQM9LWM0D4loKWxJek", body, 1_614_265_330_999);
  expect(headers).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("openssl computes the same signature, also for a body that is not ASCII", () => {
  const key = Buffer.alloc(32, 7);
  const body = Buffer.from('{"title":"Grüße"}');
  const headers = signedHeaders([key], "abcdefghijklmnop-1", body, 1_700_000_000_000);
  const args = ["dgst", "-sha256", "-mac", "HMAC", "-macopt", `hexkey:${key.toString("hex")}`, "-binary"];
  const input = Buffer.concat([Buffer.from("abcdefghijklmnop-1.1700000000."), body]);
  const { stdout } = spawnSync("openssl", args, { input });
  expect(headers["webhook-signature"]).toBe(`v1,${stdout.toString("base64")}`);
});

test("two secrets give two signatures; none gives none", () => {
  const other = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
  const headers = signedHeaders(keysOf(`${SECRET}\n${other}`), "id-1", Buffer.from("{}"), 0);
  const [first, second] = headers["webhook-signature"]!.split(" ");
  expect(first).toBe(signedHeaders(keysOf(SECRET), "id-1", Buffer.from("{}"), 0)["webhook-signature"]);
  expect(second).toBe(signedHeaders(keysOf(other), "id-1", Buffer.from("{}"), 0)["webhook-signature"]);
  expect(signedHeaders([], "id-1", Buffer.from("{}"), 0)).not.toHaveProperty("webhook-signature");
});

describe("a secret", () => {
  it("comes from a file", () => {
    const file = join(emptyFolder(), "secret");
    writeFileSync(file, `${SECRET}\n`);
    expect(readSigningKeys(file, {})).toEqual(keysOf(SECRET));
    writeFileSync(file, "\n");
    expect(() => readSigningKeys(file, {})).toThrow("contains no secret");
    expect(() => readSigningKeys(`${file}.none`, {})).toThrow("no such file");
  });

  it("may be missing in the environment, but not blank", () => {
    expect(readSigningKeys(undefined, {})).toEqual([]);
    for (const blank of ["", " ", "\n"])
      expect(() => keysOf(blank)).toThrow("SITEATLAS_WEBHOOK_SECRET contains no secret");
  });

  it.each([
    "hunter2hunter2",
    "whsec_hunter2",
    `whsec_${Buffer.alloc(23).toString("base64")}`,
    `whsec_${Buffer.alloc(65).toString("base64")}`,
    `${SECRET}!`,
  ])("that is wrong is refused, and the message does not repeat it: %s", (secret) => {
    expect(() => keysOf(secret)).toThrow(
      "SITEATLAS_WEBHOOK_SECRET must be whsec_ and the base64 of 24 to 64 bytes",
    );
    expect(() => keysOf(secret)).not.toThrow(secret.slice(6, 16));
  });
});
