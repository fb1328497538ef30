import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import { encodeBase64Url, frame } from "./encoding.ts";
import { type AnswerKey, decryptAnswer, encryptAnswer } from "./encrypted-answer.ts";
import { createOpenedLeases, encryptJob, openJob } from "./encrypted-job.ts";
import { deriveGatewayKey, makeRunKeys, type RunKeys } from "./keys.ts";
import type { JobEnvelope } from "./messages.ts";
import { aCredential } from "./released-credential.test-support.ts";

const nowMs = Date.UTC(2026, 0, 31, 12);
const gateway = deriveGatewayKey(Buffer.alloc(32, 1));
const keyId = "k".repeat(22);
const uuids = ["0190a2b4-7c11-4f6e-9d53-1f0a55c00001", "0190a2b4-7c11-4f6e-9d53-1f0a55c00002"];
const [job = "", lease = ""] = uuids;
const payload = {
  token: "0190a2b4-7c11-4f6e-9d53-1f0a55c00003",
  attempt: 2,
  left_ms: 45_000,
  hold_ms: 10_000,
  request: '{"query":"cats"}',
};

let keys: RunKeys;
let envelope: JobEnvelope;
let gatewayAnswerKey: AnswerKey;

const encryptTestJob = (overrides: Partial<Parameters<typeof encryptJob>[0]> = {}) =>
  encryptJob({
    keyId,
    encryptionKey: keys.encryptionKey,
    job,
    lease,
    payload,
    nowMs,
    lifetimeMs: 120_000,
    gateway,
    ...overrides,
  });

const openOptions = (overrides: Partial<Parameters<typeof openJob>[1]> = {}) => ({
  keys,
  keyId,
  gatewayKey: gateway.publicKey,
  nowMs,
  openedLeases: createOpenedLeases(),
  ...overrides,
});

beforeAll(async () => {
  keys = await makeRunKeys();
  ({ envelope, answerKey: gatewayAnswerKey } = await encryptTestJob());
});

async function getCode(operation: Promise<unknown> | (() => unknown)): Promise<string> {
  try {
    await (typeof operation === "function" ? operation() : operation);
  } catch (error) {
    if (error instanceof EarshotError) return `${error.code} ${error.details[0]?.code}`;
    throw error;
  }
  return "accepted";
}

describe("an encrypted job", () => {
  test("an encrypted job opens for its keys, and its answer opens for the gateway", async () => {
    const { payload: openedPayload, answerKey } = await openJob(envelope, openOptions());
    expect(openedPayload).toEqual(payload);
    const plaintext = Buffer.from("an answer");
    const encryptedAnswer = encryptAnswer(answerKey, plaintext);
    expect(encryptedAnswer).not.toEqual(encryptAnswer(answerKey, plaintext));
    expect(Buffer.from(decryptAnswer(gatewayAnswerKey, encryptedAnswer))).toEqual(plaintext);
    expect(Buffer.from(decryptAnswer(gatewayAnswerKey, encryptedAnswer))).toEqual(plaintext);
    expect(JSON.stringify([envelope, encryptedAnswer])).not.toMatch(/cats|an answer/);
  });

  test("an encrypted job opens only once", async () => {
    const openedLeases = createOpenedLeases();
    await openJob(envelope, openOptions({ openedLeases }));
    expect(await getCode(openJob(envelope, openOptions({ openedLeases })))).toBe(
      "job_refused replayed",
    );
    const anotherJob = await encryptTestJob({ lease: payload.token });
    await openJob(anotherJob.envelope, openOptions({ openedLeases }));
    expect(await getCode(openJob(envelope, openOptions({ openedLeases })))).toBe(
      "job_refused replayed",
    );
  });

  test("an encrypted job's lease is refused while too many leases are remembered", () => {
    const openedLeases = createOpenedLeases(2);
    expect([
      openedLeases.add("a", 10, 0),
      openedLeases.add("b", 20, 0),
      openedLeases.add("c", 20, 0),
    ]).toEqual([true, true, false]);
    expect([
      openedLeases.add("c", 30, 11),
      openedLeases.add("b", 30, 11),
      openedLeases.add("d", 30, 11),
    ]).toEqual([true, false, false]);
  });

  test.each([
    ["other_key", { keyId: "o".repeat(22) }],
    ["not_signed", { gatewayKey: deriveGatewayKey(Buffer.alloc(32, 2)).publicKey }],
    ["not_signed", { gatewayKey: "" }],
    ["outside_time", { nowMs: nowMs + 121_000 }],
    ["outside_time", { nowMs: nowMs - 31_000 }],
  ])("an encrypted job is refused with %s if opened with %j", async (code, overrides) => {
    expect(await getCode(openJob(envelope, openOptions(overrides)))).toBe(`job_refused ${code}`);
  });

  test("an encrypted job does not open with another run's keys", async () => {
    const otherKeys = await makeRunKeys();
    expect(await getCode(openJob(envelope, openOptions({ keys: otherKeys })))).toBe(
      "job_refused not_openable",
    );
  });

  test.each([
    ["version", 2, "malformed"],
    ["more", 1, "malformed"],
    ["key_id", "o".repeat(22), "other_key"],
    ["job", uuids[1], "not_signed"],
    ["lease", uuids[0], "not_signed"],
    ["issued_at", nowMs / 1_000 - 1, "not_signed"],
    ["expires_at", nowMs / 1_000 + 1_000_000, "not_signed"],
    ["encapsulated", encodeBase64Url(Buffer.alloc(32, 9)), "not_signed"],
    ["encapsulated", encodeBase64Url(Buffer.alloc(31, 9)), "malformed"],
    ["sealed", encodeBase64Url(Buffer.alloc(200, 9)), "not_signed"],
    ["sealed", "A", "malformed"],
    ["signature", encodeBase64Url(Buffer.alloc(64, 9)), "not_signed"],
    ["signature", "", "malformed"],
  ])("an encrypted job with another %s (%s) is refused with %s", async (member, value, code) => {
    const changedEnvelope = { ...envelope, [member]: value };
    expect(await getCode(openJob(changedEnvelope, openOptions()))).toBe(`job_refused ${code}`);
  });

  test("the envelope of an encrypted job cannot be combined with another job's payload", async () => {
    const otherJob = await encryptTestJob({ job: lease });
    const { signature: _signature, ...head } = { ...otherJob.envelope, sealed: envelope.sealed };
    const signer = { sign: gateway.sign, publicKey: gateway.publicKey };
    const mixedJob = await encryptTestJob({ job: lease, gateway: signer });
    const forgedEnvelope = { ...mixedJob.envelope, ...head };
    expect(await getCode(openJob(forgedEnvelope, openOptions()))).toBe("job_refused not_signed");
  });

  test("an encrypted job is not made for an unusable key", async () => {
    for (const encryptionKey of [
      encodeBase64Url(Buffer.alloc(32)),
      "",
      "A".repeat(42),
      `${"_".repeat(42)}8`,
    ]) {
      const code = await getCode(encryptTestJob({ encryptionKey }));
      expect(["job_refused key_unusable", "accepted"]).toContain(code);
      if (encryptionKey !== `${"_".repeat(42)}8`) expect(code).toBe("job_refused key_unusable");
    }
  });

  test.each([
    ["no token", { token: "x" }],
    ["a fractional attempt", { attempt: 0.5 }],
    ["another member", { more: 1 }],
  ])("an encrypted job with a malformed payload (%s) is refused", async (_name, overrides) => {
    const encryptedJob = await encryptTestJob({ payload: { ...payload, ...overrides } });
    expect(await getCode(openJob(encryptedJob.envelope, openOptions()))).toBe(
      "job_refused payload_malformed",
    );
  });

  test("arbitrary values are refused as an encrypted job with the same error code", async () => {
    const openedLeases = createOpenedLeases();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.anything(),
          fc
            .tuple(fc.constantFrom(...Object.keys(envelope)), fc.anything())
            .map(([member, value]) => ({ ...envelope, [member]: value })),
        ),
        async (given) => {
          expect(await getCode(openJob(given, openOptions({ openedLeases })))).toMatch(
            /^job_refused /,
          );
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("a job with a credential", () => {
  const release = { attestation: "attestation-1", expires_at: nowMs / 1_000 + 60 };
  const credential = aCredential;
  let releasedEnvelope: JobEnvelope;
  beforeAll(async () => {
    const encryptedJob = await encryptTestJob({ payload: { ...payload, credential }, release });
    releasedEnvelope = encryptedJob.envelope;
  });

  function signAgain(changes: Partial<JobEnvelope>): JobEnvelope {
    const changedEnvelope = { ...releasedEnvelope, ...changes };
    const { key_id, issued_at, expires_at, release: boundRelease } = changedEnvelope;
    const releaseFields =
      boundRelease === undefined ? [] : [boundRelease.attestation, boundRelease.expires_at];
    const fields = [
      key_id,
      changedEnvelope.job,
      changedEnvelope.lease,
      issued_at,
      expires_at,
      ...releaseFields,
    ];
    const head = frame("earshot-job-head/v1", ...fields);
    const [encapsulated, sealed] = [changedEnvelope.encapsulated, changedEnvelope.sealed].map(
      (text) => Buffer.from(text, "base64url"),
    );
    if (encapsulated === undefined || sealed === undefined) throw new Error("nothing is encrypted");
    const signedBytes = frame("earshot-job-signature/v1", head, encapsulated, sealed);
    return { ...changedEnvelope, signature: encodeBase64Url(gateway.sign(signedBytes)) };
  }

  test("a job with a credential delivers it encrypted, with attestation and expiry", async () => {
    const openedJob = await openJob(signAgain({}), openOptions());
    expect(openedJob).toMatchObject({ payload: { credential }, release });
    expect(JSON.stringify(releasedEnvelope)).not.toContain("the-secret-token");
  });

  test.each([
    ["job", { job: lease }],
    ["lease", { lease: payload.token }],
    ["attestation", { release: { ...release, attestation: "attestation-2" } }],
    ["time", { release: { ...release, expires_at: release.expires_at + 1 } }],
    ["release", { release: undefined }],
  ])(
    "a job with a credential does not open for another %s, even if the gateway signs that",
    async (_name, changes) => {
      const code = await getCode(
        openJob(signAgain(changes as Partial<JobEnvelope>), openOptions()),
      );
      expect(code).toBe("job_refused not_openable");
    },
  );

  test("a job with a credential does not open with other keys, or with a changed expiry", async () => {
    const otherKeys = await makeRunKeys();
    expect(await getCode(openJob(releasedEnvelope, openOptions({ keys: otherKeys })))).toBe(
      "job_refused not_openable",
    );
    const laterEnvelope = {
      ...releasedEnvelope,
      release: { ...release, expires_at: release.expires_at + 1 },
    };
    expect(await getCode(openJob(laterEnvelope, openOptions()))).toBe("job_refused not_signed");
  });

  test.each([
    ["without the release that binds its credential", { payload: { ...payload, credential } }],
    ["that is missing", { release }],
    [
      "of another form",
      { payload: { ...payload, credential: { ...credential, host: "nowhere" } }, release },
    ],
  ])("a job with a credential %s is refused", async (_name, overrides) => {
    const encryptedJob = await encryptTestJob(overrides);
    expect(await getCode(openJob(encryptedJob.envelope, openOptions()))).toBe(
      "job_refused payload_malformed",
    );
  });
});

describe("an encrypted answer", () => {
  test("an encrypted answer opens only for its lease", async () => {
    const { answerKey } = await openJob(envelope, openOptions());
    const otherJob = await encryptTestJob({ lease: payload.token });
    const answer = encryptAnswer(answerKey, Buffer.from("an answer"));
    expect(await getCode(() => decryptAnswer(otherJob.answerKey, answer))).toBe(
      "answer_refused not_openable",
    );
  });

  test("an encrypted answer does not open after any change", async () => {
    const { answerKey } = await openJob(envelope, openOptions());
    const { nonce, sealed } = encryptAnswer(answerKey, Buffer.from("an answer"));
    const bytes = Buffer.from(sealed, "base64url");
    const changes = [
      { nonce: encodeBase64Url(Buffer.alloc(32)), sealed },
      { nonce: encodeBase64Url(Buffer.alloc(12)), sealed },
      { nonce: "", sealed },
      { nonce, sealed: "" },
      { nonce, sealed: "AAAA" },
      { nonce, sealed: `${sealed}A` },
      { nonce, sealed: encodeBase64Url(bytes.subarray(0, -1)) },
      ...Array.from(bytes, (_byte, index) => {
        const changedBytes = Buffer.from(bytes);
        changedBytes[index] = (changedBytes[index] ?? 0) ^ 1;
        return { nonce, sealed: encodeBase64Url(changedBytes) };
      }),
    ];
    for (const changed of changes) {
      expect(await getCode(() => decryptAnswer(gatewayAnswerKey, changed))).toBe(
        "answer_refused not_openable",
      );
    }
  });
});
