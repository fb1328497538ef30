import { afterEach, expect, test } from "vitest";
import { createManualClock } from "../../lib/manual-clock.ts";
import { openProvider } from "../evidence/providers.ts";
import { decodeBase64Url } from "../protocol/encoding.ts";
import { isSignedBy } from "../protocol/keys.ts";
import { type Registration, registration } from "../protocol/messages.ts";
import { hashAttestationId, makeIdentityMessage } from "../protocol/statement.ts";
import { type AttestationStatus, type AttestLoop, startAttestLoop } from "./attest-loop.ts";
import { fakeGateway, fakeGatewayKey, makeSelf, refusal } from "./fake-gateway.test-support.ts";
import { unreachable } from "./gateway-errors.ts";
import { createGatewayClock, createGatewayPin } from "./gateway-state.ts";

const self = await makeSelf();
const provider = await openProvider("none", "");
let loop: AttestLoop | null = null;
afterEach(() => loop?.stop());

function startLoop({ gatewayKey = null as string | null } = {}) {
  const clock = createManualClock();
  const statuses: AttestationStatus[] = [];
  const clockChanges: number[] = [];
  const firstKeys: string[] = [];
  let state = "admitted";
  const nonce = Buffer.alloc(32, 5).toString("base64url");
  const gateway = fakeGateway({
    challenge: () => ({
      nonce,
      gateway_key: fakeGatewayKey.publicKey,
      expires_in_ms: 60_000,
      now_ms: clock.now(),
    }),
    register: ({ statement, evidence }: Registration) => ({
      node_id: self.nodeId,
      key_id: self.keyId,
      state,
      attestation_id: hashAttestationId(statement, evidence),
      valid_ms: 3_600_000,
      again_in_ms: state === "pending" ? 10_000 : 1_800_000,
      lease_wait_ms: 20_000,
    }),
  });
  const start = () => {
    loop = startAttestLoop({
      self,
      offer: {
        name: "a node",
        concurrency: 4,
        version: "1",
        capabilities: async () => [
          { platform: "bluesky", method: "searchbyquery", ways: ["archive"] },
        ],
      },
      provider,
      link: gateway.link,
      gatewayClock: createGatewayClock(clock),
      clock,
      random: () => 1,
      reachability: { waitOutBackoff: async () => true },
      pin: createGatewayPin(gatewayKey, (key) => firstKeys.push(key)),
      onStatus: (status) => statuses.push(status),
      onClockChange: (changeMs) => clockChanges.push(changeMs),
    });
    return loop;
  };
  const attestations = () => gateway.bodiesFor("register").length;
  return {
    clock,
    gateway,
    statuses,
    clockChanges,
    firstKeys,
    start,
    attestations,
    setState: (next: string) => (state = next),
  };
}

test("a registration contains a statement with the gateway's nonce, signed with the identity key", async () => {
  const { clock, gateway, start } = startLoop();
  const attestLoop = start();
  await clock.advance(0);
  const [body] = gateway.bodiesFor("register");
  const { statement, identity_signature, ...rest } = registration.parse(body);
  expect(statement).toMatchObject({
    evidence: "none",
    audience: "earshot",
    nonce: Buffer.alloc(32, 5).toString("base64url"),
    identity_key: self.identity.publicKey,
    signing_key: self.keys.signingKey,
    sealing_key: self.keys.encryptionKey,
    gateway_key: fakeGatewayKey.publicKey,
  });
  const signature = decodeBase64Url(identity_signature, 64) ?? new Uint8Array();
  expect(isSignedBy(self.identity.publicKey, makeIdentityMessage(statement), signature)).toBe(true);
  expect(rest).toMatchObject({ name: "a node", concurrency: 4 });
  expect(attestLoop.admitted()).toMatchObject({ gatewayKey: fakeGatewayKey.publicKey });
});

test("a node attests again halfway through its attestation's validity", async () => {
  const { clock, start, attestations } = startLoop();
  start();
  await clock.advance(1_799_999);
  expect(attestations()).toBe(1);
  await clock.advance(1);
  expect(attestations()).toBe(2);
});

test("a pending node attests again when the gateway specifies, and gets no work", async () => {
  const { clock, start, statuses, setState, attestations } = startLoop();
  setState("pending");
  const attestLoop = start();
  await clock.advance(9_999);
  expect(attestLoop.admitted()).toBeNull();
  expect(attestations()).toBe(1);
  setState("admitted");
  const admission = attestLoop.whenAdmitted(60_000);
  await clock.advance(1);
  expect(await admission).not.toBeNull();
  expect(statuses.map(({ state }) => state)).toEqual(["pending", "admitted"]);
});

test("requests rejected as unknown cause one new attestation, and the node is not admitted until then", async () => {
  const { clock, gateway, start, attestations } = startLoop();
  const challenge = gateway.responses.challenge;
  gateway.responses.challenge = (body) => clock.sleep(10).then(() => challenge?.(body));
  const attestLoop = start();
  await clock.advance(5_000);
  const sentMs = clock.elapsed();
  attestLoop.attestAgain(sentMs);
  attestLoop.attestAgain(sentMs);
  expect(attestLoop.admitted()).toBeNull();
  await clock.advance(5);
  attestLoop.attestAgain(sentMs);
  attestLoop.attestAgain(clock.elapsed());
  await clock.advance(5);
  expect(attestations()).toBe(2);
  attestLoop.attestAgain(sentMs);
  await clock.advance(10_000);
  expect(attestations()).toBe(2);
  expect(attestLoop.admitted()).not.toBeNull();
});

test("a node attests at most once a second", async () => {
  const { clock, start, attestations } = startLoop();
  const attestLoop = start();
  for (let ms = 0; ms < 10_000; ms += 100) {
    attestLoop.attestAgain(clock.elapsed());
    await clock.advance(100);
  }
  expect(attestations()).toBeLessThanOrEqual(11);
});

test("an attestation stays valid until it expires, even while the gateway is unreachable", async () => {
  const { clock, gateway, start, statuses } = startLoop();
  const attestLoop = start();
  await clock.advance(0);
  gateway.responses.challenge = async () => {
    await clock.sleep(15_000);
    throw unreachable("the connection was refused");
  };
  await clock.advance(3_599_999);
  expect(attestLoop.admitted()).not.toBeNull();
  expect(statuses.map(({ state }) => state)).toEqual(["admitted"]);
  await clock.advance(1);
  expect(attestLoop.admitted()).toBeNull();
  await clock.advance(15_000);
  expect(statuses.at(-1)).toMatchObject({ state: "unreachable" });
});

test.each([
  ["evidence_not_accepted", 403, true],
  ["challenge_ended", 403, false],
  ["collateral_unavailable", 503, false],
])(
  "a first attestation refused with %s (%i) is reported as final (%s) and retried with backoff",
  async (check, status, isFinal) => {
    const { clock, gateway, start, statuses, attestations } = startLoop();
    gateway.responses.register = () => {
      throw refusal("node_refused", status, check);
    };
    start();
    await clock.advance(0);
    expect(statuses).toMatchObject([
      { state: "refused", isFinal, error: { code: "node_refused" } },
    ]);
    await clock.advance(600_000);
    expect(attestations()).toBeGreaterThan(10);
    expect(attestations()).toBeLessThan(20);
  },
);

test.each([
  ["superseded", true],
  ["node_removed", true],
  ["evidence_not_accepted", false],
])(
  "a refusal with %s after the node was admitted is reported as final: %s",
  async (check, isFinal) => {
    const { clock, gateway, start, statuses } = startLoop();
    const attestLoop = start();
    await clock.advance(2_000);
    gateway.responses.register = () => {
      throw refusal("node_refused", 403, check);
    };
    attestLoop.attestAgain(clock.elapsed());
    await clock.advance(0);
    expect(statuses.at(-1)).toMatchObject({ state: "refused", isFinal });
  },
);

test("a gateway with an unexpected key receives no statement", async () => {
  const { clock, gateway, start, statuses } = startLoop({ gatewayKey: "A".repeat(43) });
  start();
  await clock.advance(0);
  expect(statuses).toMatchObject([{ isFinal: true, error: { code: "gateway_key_mismatch" } }]);
  expect(gateway.bodiesFor("register")).toEqual([]);
});

test("without a configured gateway key, the first one is pinned, and reported once", async () => {
  const { clock, gateway, start, statuses, firstKeys } = startLoop();
  const challenge = gateway.responses.challenge;
  const attestLoop = start();
  await clock.advance(2_000);
  gateway.responses.challenge = (body) => ({
    ...(challenge?.(body) as object),
    gateway_key: self.identity.publicKey,
  });
  attestLoop.attestAgain(clock.elapsed());
  await clock.advance(0);
  expect(firstKeys).toEqual([fakeGatewayKey.publicKey]);
  expect(statuses.at(-1)).toMatchObject({ error: { code: "gateway_key_mismatch" } });
});

test.each([null, [], {}, { nonce: "short" }])(
  "a gateway whose challenge is malformed counts as unreachable: %j",
  async (odd) => {
    const { clock, gateway, start, statuses } = startLoop();
    gateway.responses.challenge = () => clock.sleep(1_000).then(() => odd);
    start();
    await clock.advance(1_000);
    expect(statuses[0]).toMatchObject({ state: "unreachable" });
  },
);

test("each attestation after the first reports how far the gateway's clock was corrected", async () => {
  const { clock, gateway, start, clockChanges } = startLoop();
  const challenge = gateway.responses.challenge;
  const attestLoop = start();
  await clock.advance(2_000);
  gateway.responses.challenge = (body) => ({
    ...(challenge?.(body) as object),
    now_ms: clock.now() + 90_000,
  });
  attestLoop.attestAgain(clock.elapsed());
  await clock.advance(0);
  expect(clockChanges).toEqual([90_000]);
});
