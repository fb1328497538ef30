import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { JobLedger } from "./job-ledger.ts";

export type ServiceAccess = { base: string; key: string };

type Answer = { status: number; text: string };

const path = "/v1/search/live/social";
/** A stopped server never responds. */
const timeoutMs = 4_000;

/** Returns null if there is no response. */
export async function call(
  { base, key }: ServiceAccess,
  method: string,
  url: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<Answer | null> {
  try {
    const response = await fetch(`${base}${url}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...headers },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return null;
  }
}

/** `mark` is a unique word. */
export function makeSubmissionBody(search: number, mark: string) {
  const query = `word${search} -m${mark.replaceAll("-", "")}`;
  return { type: "social", arguments: { type: "searchbyfullarchive", query, max_results: 100 } };
}

/** Records responses that contradict the API. */
export async function runRetryingClient(
  access: ServiceAccess,
  ledger: JobLedger,
  searches: number,
  random: () => number,
  isOver: () => boolean,
): Promise<void> {
  function reportUnexpected(what: string, { status, text }: Answer): void {
    ledger.contradict(`${what} got ${status} ${text.slice(0, 200)}`);
  }

  async function submit(search: number, idempotencyKey: string | null): Promise<string | null> {
    const mark = idempotencyKey ?? randomUUID();
    const headers = {
      "content-type": "application/json",
      ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey }),
    };
    const answer = await call(access, "POST", path, headers, makeSubmissionBody(search, mark));
    if (answer === null) ledger.count("submissions without an answer");
    else if (answer.status === 503) ledger.count("submissions refused with 503");
    else if (answer.status !== 202) reportUnexpected("a submission", answer);
    if (answer?.status !== 202) return null;
    const { uuid } = JSON.parse(answer.text) as { uuid: string };
    ledger.accept(uuid, search, idempotencyKey);
    return uuid;
  }

  async function submitOnce(search: number): Promise<string | null> {
    const key = randomUUID();
    let uuid: string | null = null;
    for (let again = 0; uuid === null && !isOver(); again += 1) {
      if (again > 0) await sleep(100);
      uuid = await submit(search, key);
      ledger.count(
        again === 0 ? "jobs with an idempotency key" : "repetitions with an idempotency key",
      );
    }
    if (random() < 0.3) {
      await submit(search, key);
      ledger.count("repetitions with an idempotency key");
    }
    return uuid;
  }

  async function fetchResult(uuid: string): Promise<void> {
    const answer = await call(access, "GET", `${path}/result/${uuid}?wait=3`);
    if (answer === null || answer.status === 202 || answer.status === 503) return;
    if (answer.status !== 200) {
      reportUnexpected(`the result of ${uuid}`, answer);
      return;
    }
    ledger.receive(uuid, answer.text);
    ledger.count("results fetched during faults");
  }

  async function cancel(uuid: string): Promise<void> {
    ledger.abandon(uuid);
    const answer = await call(access, "DELETE", `${path}/status/${uuid}`);
    if (answer === null || answer.status === 503) return;
    if (answer.status === 200) ledger.count("jobs cancelled");
    else if (answer.status === 204) ledger.count("jobs forgotten");
    else reportUnexpected(`cancelling ${uuid}`, answer);
  }

  while (!isOver()) {
    const search = Math.floor(random() * searches);
    const uuid = random() < 0.5 ? await submitOnce(search) : await submit(search, null);
    if (uuid === null) {
      await sleep(50);
      continue;
    }
    const next = random();
    if (next < 0.15) await cancel(uuid);
    else if (next < 0.8) await fetchResult(uuid);
  }
}

/** Requests known uuids from another account. */
export async function runOtherAccount(
  access: ServiceAccess,
  ledger: JobLedger,
  random: () => number,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    await sleep(20);
    const uuids = [...ledger.accepted.keys()];
    const uuid = uuids[Math.floor(random() * uuids.length)];
    if (uuid === undefined) continue;
    const [method, what] = random() < 0.3 ? ["DELETE", "status"] : ["GET", "result"];
    const answer = await call(access, method, `${path}/${what}/${uuid}`);
    if (answer === null || answer.status === 503) continue;
    ledger.count("requests by another account");
    if (answer.status !== 404) {
      ledger.contradict(`another account got ${answer.status} for ${uuid}`);
    }
  }
}
