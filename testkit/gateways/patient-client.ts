import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { RatedCall } from "./rated-calls.ts";

type Answer = { status: number; body: { uuid?: string; status?: string; error?: string } };

export type JobEnd = { state: string; error: string };

export type PatientClient = {
  uuids: readonly string[];
  /** Retries with the same idempotency key. */
  submit(query: string): Promise<string>;
  waitForEnd(uuid: string): Promise<JobEnd>;
  /** The calls that the rate limits admitted. */
  calls: readonly RatedCall[];
  submissions: readonly RatedCall[];
  /** Responses that are neither a success nor a retryable error. */
  unexpectedResponses: readonly string[];
};

const path = "/v1/search/live/social";
const finalStates: ReadonlySet<string> = new Set(["done", "error", "cancelled", "expired"]);

/** Uses the next gateway for every request, including retries. */
export function createPatientClient(bases: readonly string[], key: string, firstGateway: number) {
  const uuids: string[] = [];
  const calls: RatedCall[] = [];
  const submissions: RatedCall[] = [];
  const unexpectedResponses: string[] = [];
  let gatewayIndex = firstGateway;

  async function request(url: string, init: RequestInit, ratedCalls: RatedCall[]): Promise<Answer> {
    for (;;) {
      gatewayIndex += 1;
      const sentMs = performance.now();
      const response = await fetch(`${bases[gatewayIndex % bases.length]}${url}`, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(15_000),
      }).catch(() => null);
      const text = await response?.text().catch(() => null);
      if (response === null || text === null || text === undefined) {
        await sleep(50);
        continue;
      }
      const { status } = response;
      if (status === 429 || status === 503) {
        const afterSeconds = Number(response.headers.get("retry-after") ?? "1");
        await sleep(status === 429 ? Math.min(afterSeconds, 2) * 1_000 : 100);
        continue;
      }
      const call = { sentMs, answeredMs: performance.now() };
      calls.push(call);
      ratedCalls.push(call);
      if (status !== 200 && status !== 202) {
        unexpectedResponses.push(`${init.method} ${url}: ${status} ${text.slice(0, 200)}`);
        return { status, body: {} };
      }
      return { status, body: JSON.parse(text) };
    }
  }

  const client: PatientClient = {
    ...{ uuids, calls, submissions, unexpectedResponses },
    submit: async (query) => {
      const { body } = await request(
        path,
        {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": randomUUID() },
          body: JSON.stringify({
            type: "social",
            arguments: { type: "searchbyfullarchive", query },
          }),
        },
        submissions,
      );
      const uuid = body.uuid ?? "";
      uuids.push(uuid);
      return uuid;
    },
    waitForEnd: async (uuid) => {
      for (;;) {
        const { status, body } = await request(
          `${path}/status/${uuid}?wait=10`,
          { method: "GET" },
          [],
        );
        const { status: state = "", error = "" } = body;
        if (status !== 200 || finalStates.has(state)) return { state, error };
      }
    },
  };
  return client;
}
