import { Headers } from "undici";
import { expect, test } from "vitest";
import { fetchedResponse } from "../../lib/fetched-response.ts";
import type { FetchOptions } from "../../lib/guarded-fetch.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import { signGatewayResponse } from "../protocol/gateway-response.ts";
import { deriveGatewayKey, type RunKeys } from "../protocol/keys.ts";
import { readSignedRequest } from "../protocol/signed-request.ts";
import { fakeGatewayKey, makeSelf } from "./fake-gateway.test-support.ts";
import { createGatewayLink } from "./gateway-link.ts";
import { createGatewayPin } from "./gateway-state.ts";

const self = await makeSelf();

type SentRequest = { url: string } & FetchOptions;

type GatewayResponse = { status: number; body?: string; signature?: string | null };

function findSignature(
  { url, headers = {} }: SentRequest,
  { status, body = "" }: GatewayResponse,
  key: Pick<RunKeys, "sign"> = fakeGatewayKey,
) {
  const signatureInput = headers["signature-input"] ?? "";
  const path = `/internal/nodes/${url.split("/").at(-1)}`;
  return signGatewayResponse({ signatureInput, path, status, body }, key);
}

function makeLink(
  respond: (sent: SentRequest) => GatewayResponse | Error,
  gatewayUrl = "https://gateway.example",
  knownKey: string | null = fakeGatewayKey.publicKey,
) {
  const sent: SentRequest[] = [];
  const reported: string[] = [];
  const clock = createManualClock();
  const link = createGatewayLink({
    gatewayUrl,
    fetch: async (url, options = {}) => {
      const request = { url: String(url), ...options };
      sent.push(request);
      const response = respond(request);
      if (response instanceof Error) throw response;
      const { status, body = "", signature = findSignature(request, response) } = response;
      const headers = new Headers(
        signature === null ? {} : { "earshot-gateway-signature": signature },
      );
      return fetchedResponse(new URL(url), { status, headers }, Buffer.from(body));
    },
    keys: self.keys,
    keyId: self.keyId,
    enrolmentToken: "A".repeat(43),
    pin: createGatewayPin(knownKey, () => undefined),
    clock,
    gatewayClock: clock,
    reachability: {
      recordResponse: () => reported.push("responded"),
      recordNetworkFailure: (_sentMs, { code }) => reported.push(code),
    },
    onUnknownNode: () => reported.push("unknown"),
    timeoutMs: 10_000,
  });
  return { sent, reported, clock, link };
}

const problem = (status: number, overrides: object = {}) => ({
  status,
  body: JSON.stringify({ code: "node_refused", detail: "not this one", ...overrides }),
});

test("each request to the gateway is signed by the run's key with the gateway's time", async () => {
  const { sent, clock, link } = makeLink(() => ({ status: 200, body: '{"hold_ms":30000}' }));
  expect(await link.post("renew", { job: "j", token: "t" })).toEqual({ hold_ms: 30_000 });
  await link.post("renew", { job: "j", token: "t" });
  const nonces = sent.map(({ headers = {}, body = "" }) => {
    const request = { method: "POST", path: "/internal/nodes/renew", headers };
    const parsedRequest = readSignedRequest({ ...request, body: Buffer.from(body) });
    expect(parsedRequest).toMatchObject({ keyId: self.keyId, createdMs: clock.now() });
    expect(parsedRequest.isSignedBy(self.keys.signingKey)).toBe(true);
    return parsedRequest.nonce;
  });
  expect(new Set(nonces).size).toBe(2);
});

test("a gateway with a path is called at that path", async () => {
  const { sent, link } = makeLink(() => ({ status: 204 }), "https://gateway.example/search");
  expect(await link.post("lease", {})).toBeNull();
  expect(sent[0]?.url).toBe("https://gateway.example/search/internal/nodes/lease");
});

test("a request's timeout increases with its wait and its size", async () => {
  const { sent, link } = makeLink(() => ({ status: 204 }));
  await link.post("lease", {}, { openMs: 20_000 });
  await link.post("complete", "x".repeat(6_400_000));
  expect(sent[0]?.timeoutMs).toBeGreaterThanOrEqual(30_000);
  expect(sent[0]?.timeoutMs).toBeLessThan(30_100);
  expect(sent[1]?.timeoutMs).toBeGreaterThan(110_000);
});

test("a refusal has the gateway's code, check and hint, without control characters", async () => {
  const { reported, link } = makeLink(() =>
    problem(403, {
      detail: "not \u001b[31mthis\none",
      hint: "try \u0007another",
      errors: [{ code: "evidence_not_accepted", message: "none" }],
    }),
  );
  await expect(link.post("register", {})).rejects.toMatchObject({
    code: "node_refused",
    status: 403,
    message: "not [31mthis one",
    hint: "try another",
    details: [{ code: "evidence_not_accepted", message: "none" }],
  });
  expect(reported).toEqual([]);
});

test.each([
  ["too many requests", problem(429)],
  ["an overloaded gateway", problem(503)],
  ["a proxy's page", { status: 502, body: "<h1>Bad gateway</h1>" }],
  ["a page instead of a response", { status: 200, body: "<h1>Welcome</h1>" }],
  ["an unexpected code", problem(403, { code: "Not A Code!" })],
  ["an empty response", { status: 404 }],
])("%s counts as an unreachable gateway", async (_what, response) => {
  const { reported, link } = makeLink(() => response);
  await expect(link.post("lease", {})).rejects.toMatchObject({
    code: "gateway_unreachable",
    retryable: true,
  });
  expect(reported).toEqual(["gateway_unreachable"]);
});

test("a broken connection to the gateway is reported, but an aborted request is not", async () => {
  const { reported, link } = makeLink(() => new Error("ECONNRESET"));
  await expect(link.post("lease", {})).rejects.toMatchObject({ code: "gateway_unreachable" });
  expect(reported).toEqual(["gateway_unreachable"]);
  const stopController = new AbortController();
  stopController.abort(new Error("the node stops"));
  await expect(link.post("lease", {}, { signal: stopController.signal })).rejects.toThrow("stops");
  expect(reported).toHaveLength(1);
});

const otherKey = deriveGatewayKey(Buffer.alloc(32, 8));
const activeResponse = { status: 200, body: '{"status":"active","rates_key":"k"}' };

test.each([
  ["without a signature", () => null, "not_signed"],
  ["signed with another key", (sent: SentRequest) => findSignature(sent, activeResponse, otherKey)],
  [
    "signed for another body",
    (sent: SentRequest) => findSignature(sent, { ...activeResponse, body: "{}" }),
  ],
  [
    "signed with another status",
    (sent: SentRequest) => findSignature(sent, { ...activeResponse, status: 403 }),
  ],
  [
    "signed for another call",
    (sent: SentRequest) =>
      findSignature({ ...sent, url: "https://gateway.example/lease" }, activeResponse),
  ],
  [
    "signed for another request",
    (sent: SentRequest) => findSignature({ ...sent, headers: {} }, activeResponse),
  ],
  ["with a malformed signature", () => "AAAA"],
] as const)(
  "a response %s is not accepted as the gateway's",
  async (_what, sign, check: string = "other_signature") => {
    const { reported, link } = makeLink((sent) => ({ ...activeResponse, signature: sign(sent) }));
    await expect(link.post("renew", {})).rejects.toMatchObject({
      code: "gateway_unreachable",
      message: expect.stringContaining("gateway.example returned 200"),
      details: [{ code: check }],
    });
    const isOther = check === "other_signature";
    expect(reported).toEqual(["gateway_unreachable", ...(isOther ? ["unknown"] : [])]);
  },
);

test("a gateway that does not know the node is reported, except while the node attests", async () => {
  const { reported, link } = makeLink(() => problem(401, { code: "node_unauthorized" }));
  await expect(link.post("register", {})).rejects.toMatchObject({ code: "node_unauthorized" });
  expect(reported).toEqual([]);
  await expect(link.post("lease", {})).rejects.toMatchObject({ code: "node_unauthorized" });
  expect(reported).toEqual(["unknown"]);
});

test("a gateway response that is sent again is refused", async () => {
  const signatures: string[] = [];
  const { link } = makeLink((sent) => {
    signatures.push(findSignature(sent, activeResponse));
    return { ...activeResponse, signature: signatures[0] ?? null };
  });
  await expect(link.post("renew", {})).resolves.toMatchObject({ status: "active" });
  await expect(link.post("renew", {})).rejects.toMatchObject({ code: "gateway_unreachable" });
});

test.each(["lease_lost", "node_unauthorized", "node_refused", "body_too_large"])(
  "an unsigned refusal counts as an unreachable gateway: %s",
  async (code) => {
    const { link } = makeLink(() => ({ ...problem(409, { code }), signature: null }));
    await expect(link.post("renew", {})).rejects.toMatchObject({ code: "gateway_unreachable" });
  },
);

test("an unsigned success counts as an unreachable gateway", async () => {
  const { link } = makeLink(() => ({ status: 204, signature: null }));
  await expect(link.post("complete", {})).rejects.toMatchObject({ code: "gateway_unreachable" });
});

const challengeBy = (key: typeof fakeGatewayKey) => ({
  status: 200,
  body: JSON.stringify({
    nonce: "A".repeat(43),
    gateway_key: key.publicKey,
    expires_in_ms: 60_000,
    now_ms: 0,
  }),
});

test("a challenge is accepted only if it is signed with the key that it names, even if another key is pinned", async () => {
  const challenge = challengeBy(otherKey);
  for (const knownKey of [null, fakeGatewayKey.publicKey]) {
    const ownLink = makeLink(
      (sent) => ({ ...challenge, signature: findSignature(sent, challenge, otherKey) }),
      undefined,
      knownKey,
    );
    await expect(ownLink.link.post("challenge", {})).resolves.toMatchObject({
      gateway_key: otherKey.publicKey,
    });
    // Naming a key without having it is detected.
    const borrowedLink = makeLink(() => challenge, undefined, knownKey);
    await expect(borrowedLink.link.post("challenge", {})).rejects.toMatchObject({
      details: [{ code: "other_signature" }],
    });
  }
});

test("before the gateway's key is known, a response to a request other than a challenge is refused", async () => {
  const { link } = makeLink(() => activeResponse, undefined, null);
  await expect(link.post("renew", {})).rejects.toMatchObject({ code: "gateway_unreachable" });
});
