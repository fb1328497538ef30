import { beforeAll, expect, test } from "vitest";
import { base64url, frame } from "./encoding.ts";
import { sealTo } from "./hpke.ts";
import { makeRunKeys, type RunKeys } from "./keys.ts";
import { aCredential } from "./sealed-credential.test-support.ts";
import { openCredential, type SealedCredential, sealCredential } from "./sealed-credential.ts";

const nowMs = Date.UTC(2026, 0, 31, 12);
const target = { keyId: "k".repeat(22), job: "job-1", lease: "lease-1" };
let keys: RunKeys;
let sealed: SealedCredential;

beforeAll(async () => {
  keys = await makeRunKeys();
  const { sealingKey } = keys;
  const until = { attestation: "attestation-1", untilMs: nowMs + 60_500 };
  sealed = await sealCredential(aCredential, { ...target, ...until, sealingKey });
});

const opening = (special: Partial<Parameters<typeof openCredential>[1]> = {}) => ({
  ...target,
  keys,
  attestations: ["attestation-0", "attestation-1"],
  nowMs,
  ...special,
});

const refusedWith = (code: string) => ({ code: "job_refused", details: [{ code }] });

test("a credential opens for the run, job and lease that it was released for", async () => {
  expect(await openCredential(sealed, opening())).toEqual(aCredential);
  expect(sealed.expires_at).toBe(nowMs / 1_000 + 60);
  expect(JSON.stringify(sealed)).not.toContain("the-secret-token");
});

test("the key of another node does not open it", async () => {
  const others = opening({ keys: await makeRunKeys() });
  await expect(openCredential(sealed, others)).rejects.toMatchObject(
    refusedWith("credential_not_openable"),
  );
});

test.each([
  ["job", { job: "job-2" }],
  ["lease", { lease: "lease-2" }],
  ["run", { keyId: "o".repeat(22) }],
])("it does not open when it is replayed to another %s", async (_name, other) => {
  await expect(openCredential(sealed, opening(other))).rejects.toMatchObject(
    refusedWith("credential_not_openable"),
  );
});

test("it does not open once its time is over, or when the time is changed", async () => {
  await expect(openCredential(sealed, opening({ nowMs: nowMs + 60_000 }))).rejects.toMatchObject(
    refusedWith("credential_expired"),
  );
  const later = { ...sealed, expires_at: sealed.expires_at + 3_600 };
  await expect(openCredential(later, opening())).rejects.toMatchObject(
    refusedWith("credential_not_openable"),
  );
});

test("it does not open under another attestation, whichever it claims", async () => {
  await expect(
    openCredential(sealed, opening({ attestations: ["attestation-2"] })),
  ).rejects.toMatchObject(refusedWith("other_attestation"));
  const renamed = { ...sealed, attestation: "attestation-2" };
  await expect(
    openCredential(renamed, opening({ attestations: ["attestation-2"] })),
  ).rejects.toMatchObject(refusedWith("credential_not_openable"));
});

test("a credential with other members than it has to have is malformed", async () => {
  const { keyId, job, lease } = target;
  const { attestation, expires_at } = sealed;
  const other = await sealTo(keys.sealingKey, Buffer.from('{"id":"shared"}'), {
    info: frame("earshot-credential/v1", keyId, job, lease),
    aad: frame("earshot-credential-head/v1", keyId, job, lease, attestation, expires_at),
    secretLabel: "earshot credential/v1",
  });
  if (other === null) throw new Error("nothing was encrypted");
  const changed = {
    ...sealed,
    encapsulated: base64url(other.encapsulated),
    sealed: base64url(other.sealed),
  };
  await expect(openCredential(changed, opening())).rejects.toMatchObject(
    refusedWith("credential_malformed"),
  );
});

test("nothing is encrypted to a key that is none", async () => {
  const until = { attestation: "attestation-1", untilMs: nowMs };
  await expect(
    sealCredential(aCredential, { ...target, ...until, sealingKey: base64url(Buffer.alloc(32)) }),
  ).rejects.toMatchObject(refusedWith("key_unusable"));
});
