import { expect, test } from "vitest";
import { createManualClock } from "../../lib/manual-clock.ts";
import { decryptAnswer } from "../protocol/encrypted-answer.ts";
import { deriveGatewayKey } from "../protocol/keys.ts";
import { aCredential } from "../protocol/released-credential.test-support.ts";
import { readFailure } from "../protocol/texts.ts";
import { aJob, anAttestation, fakeGateway, makeSelf } from "./fake-gateway.test-support.ts";
import { createRemoteGateway } from "./remote-gateway.ts";

const self = await makeSelf();
const { attestationId } = anAttestation();
const newerAttestation = anAttestation({
  attestationId: Buffer.alloc(32, 4).toString("base64url"),
});

async function leaseWith(overrides: Parameters<typeof aJob>[2]) {
  const clock = createManualClock();
  const gateway = fakeGateway();
  const logged: Record<string, unknown>[] = [];
  const remote = createRemoteGateway({
    self,
    evidence: "none",
    link: gateway.link,
    attestLoop: {
      admitted: () => newerAttestation,
      whenAdmitted: async () => anAttestation(),
      attestAgain: () => undefined,
    },
    reachability: { waitOutBackoff: async () => true },
    archive: { records: async () => ({ records: [], damage: [] }), withheld: async () => [] },
    clock,
    gatewayClock: clock,
    log: { warn: (fields) => logged.push(fields) },
  });
  const job = await aJob(self, clock, overrides);
  gateway.responses.lease = () => job.envelope;
  gateway.responses.fail = () => null;
  const lease = await remote.lease({ nodeId: self.nodeId, methods: ["searchbyquery"] }, 1_000);
  return { clock, gateway, logged, remote, job, lease };
}

const releasedTo = (attestation: string, lifetimeMs = 20_000) => ({
  released: { attestation, lifetimeMs },
});

test("a job has its released credential, whether released to the earlier or the current attestation of the run", async () => {
  for (const attestation of [attestationId, newerAttestation.attestationId]) {
    const { lease } = await leaseWith(releasedTo(attestation));
    expect(lease?.released?.credential).toEqual(aCredential);
    expect(lease?.released?.hasExpired()).toBe(false);
  }
});

test("a lease has no credential if none was released for its job", async () => {
  expect((await leaseWith({})).lease).not.toHaveProperty("released");
});

test("a released credential expires at its expiry time", async () => {
  const { clock, lease } = await leaseWith(releasedTo(attestationId));
  await clock.advance(19_000);
  expect(lease?.released?.hasExpired()).toBe(false);
  await clock.advance(1_000);
  expect(lease?.released?.hasExpired()).toBe(true);
});

test("a released credential expires with the lease", async () => {
  const { lease, remote } = await leaseWith(releasedTo(attestationId));
  remote.abortJobs();
  expect(lease?.released?.hasExpired()).toBe(true);
});

const oldAttestationId = Buffer.alloc(32, 5).toString("base64url");

test.each([
  ["was released to an old attestation", "other_attestation", releasedTo(oldAttestationId)],
  ["has expired", "credential_expired", releasedTo(attestationId, 0)],
])(
  "a job whose credential %s is returned for a retry, and the log has only codes",
  async (_name, check, overrides) => {
    const { gateway, job, lease, logged } = await leaseWith(overrides);
    expect(lease).toBeNull();
    expect(logged).toEqual([{ uuid: job.job, code: "job_refused", check }]);
    const [sealed] = gateway.bodiesFor("fail");
    const answer = { nonce: String(sealed?.nonce), sealed: String(sealed?.sealed) };
    expect(readFailure(decryptAnswer(job.answerKey, answer))).toMatchObject({ retryable: true });
  },
);

test("a credential that another gateway encrypted to the node is not used", async () => {
  const gateway = deriveGatewayKey(Buffer.alloc(32, 8));
  const { lease, logged } = await leaseWith({ ...releasedTo(attestationId), gateway });
  expect(lease).toBeNull();
  expect(logged).toEqual([{ code: "job_refused", check: "not_signed" }]);
});
