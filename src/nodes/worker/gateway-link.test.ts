import { Headers } from "undici";
import { expect, test } from "vitest";
import { answerOf } from "../../lib/fetched-answer.ts";
import type { FetchOptions } from "../../lib/guarded-fetch.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import { readSignedRequest } from "../protocol/signed-request.ts";
import { makeSelf } from "./fake-gateway.test-support.ts";
import { createGatewayLink } from "./gateway-link.ts";

const self = await makeSelf();

type Sent = { url: string } & FetchOptions;

function make(
  answer: (sent: Sent) => { status: number; body?: string } | Error,
  gatewayUrl = "https://gateway.example",
) {
  const sent: Sent[] = [];
  const told: string[] = [];
  const clock = createManualClock();
  const link = createGatewayLink({
    gatewayUrl,
    fetch: async (url, options = {}) => {
      const request = { url: String(url), ...options };
      sent.push(request);
      const given = answer(request);
      if (given instanceof Error) throw given;
      const { status, body = "" } = given;
      return answerOf(new URL(url), { status, headers: new Headers() }, Buffer.from(body));
    },
    keys: self.keys,
    keyId: self.keyId,
    clock,
    gatewayClock: clock,
    reachability: {
      answered: () => told.push("answered"),
      failed: (_sentMs, { code }) => told.push(code),
    },
    timeoutMs: 10_000,
  });
  return { sent, told, clock, link };
}

const problem = (status: number, special: object = {}) => ({
  status,
  body: JSON.stringify({ code: "node_refused", detail: "not this one", ...special }),
});

test("each request is signed anew with the key of the run, dated by the gateway's clock", async () => {
  const { sent, clock, link } = make(() => ({ status: 200, body: '{"hold_ms":30000}' }));
  expect(await link.post("renew", { job: "j", token: "t" })).toEqual({ hold_ms: 30_000 });
  await link.post("renew", { job: "j", token: "t" });
  const nonces = sent.map(({ headers = {}, body = "" }) => {
    const request = { method: "POST", path: "/internal/nodes/renew", headers };
    const read = readSignedRequest({ ...request, body: Buffer.from(body) });
    expect(read).toMatchObject({ keyId: self.keyId, createdMs: clock.now() });
    expect(read.isSignedBy(self.keys.signingKey)).toBe(true);
    return read.nonce;
  });
  expect(new Set(nonces).size).toBe(2);
});

test.each(["https://gateway.example/search", "https://gateway.example/search/"])(
  "a gateway behind a path is asked below it: %s",
  async (gatewayUrl) => {
    const { sent, link } = make(() => ({ status: 204 }), gatewayUrl);
    expect(await link.post("lease", {})).toBeNull();
    expect(sent[0]?.url).toBe("https://gateway.example/search/internal/nodes/lease");
  },
);

test("a request that may be held has that much more time, and a large one as long as it takes to send", async () => {
  const { sent, link } = make(() => ({ status: 204 }));
  await link.post("lease", {}, { heldMs: 20_000 });
  await link.post("complete", "x".repeat(6_400_000));
  expect(sent[0]?.timeoutMs).toBeGreaterThanOrEqual(30_000);
  expect(sent[0]?.timeoutMs).toBeLessThan(30_100);
  expect(sent[1]?.timeoutMs).toBeGreaterThan(110_000);
});

test("a refusal comes with the gateway's code, check and hint, without control characters", async () => {
  const { told, link } = make(() =>
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
  expect(told).toEqual([]);
});

test.each([
  ["too many requests", problem(429)],
  ["a gateway that is overloaded", problem(503)],
  ["a proxy's page", { status: 502, body: "<h1>Bad gateway</h1>" }],
  ["a page in the place of an answer", { status: 200, body: "<h1>Welcome</h1>" }],
  ["an odd code", problem(403, { code: "Not A Code!" })],
  ["nothing", { status: 404 }],
])("%s counts as a gateway that cannot be reached", async (_what, answer) => {
  const { told, link } = make(() => answer);
  await expect(link.post("lease", {})).rejects.toMatchObject({
    code: "gateway_unreachable",
    retryable: true,
  });
  expect(told).toEqual(["gateway_unreachable"]);
});

test("a connection that breaks is told of, an end that was asked for is not", async () => {
  const { told, link } = make(() => new Error("ECONNRESET"));
  await expect(link.post("lease", {})).rejects.toMatchObject({ code: "gateway_unreachable" });
  expect(told).toEqual(["gateway_unreachable"]);
  const stopping = new AbortController();
  stopping.abort(new Error("the node stops"));
  await expect(link.post("lease", {}, { signal: stopping.signal })).rejects.toThrow("stops");
  expect(told).toHaveLength(1);
});
