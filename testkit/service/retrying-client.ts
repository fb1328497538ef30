import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { JobLedger } from "./job-ledger.ts";

export type ServiceAccess = { base: string; key: string };

type HttpResponse = { status: number; text: string };

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
): Promise<HttpResponse | null> {
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
  function reportUnexpected(what: string, { status, text }: HttpResponse): void {
    ledger.contradict(`${what} got ${status} ${text.slice(0, 200)}`);
  }

  async function submit(search: number, idempotencyKey: string | null): Promise<string | null> {
    const mark = idempotencyKey ?? randomUUID();
    const headers = {
      "content-type": "application/json",
      ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey }),
    };
    const response = await call(access, "POST", path, headers, makeSubmissionBody(search, mark));
    if (response === null) ledger.count("submissions without a response");
    else if (response.status === 503) ledger.count("submissions refused with 503");
    else if (response.status !== 202) reportUnexpected("a submission", response);
    if (response?.status !== 202) return null;
    const { uuid } = JSON.parse(response.text) as { uuid: string };
    ledger.accept(uuid, search, idempotencyKey);
    return uuid;
  }

  async function submitOnce(search: number): Promise<string | null> {
    const key = randomUUID();
    let uuid: string | null = null;
    for (let repetitions = 0; uuid === null && !isOver(); repetitions += 1) {
      if (repetitions > 0) await sleep(100);
      uuid = await submit(search, key);
      ledger.count(
        repetitions === 0 ? "jobs with an idempotency key" : "repetitions with an idempotency key",
      );
    }
    if (random() < 0.3) {
      await submit(search, key);
      ledger.count("repetitions with an idempotency key");
    }
    return uuid;
  }

  async function fetchResult(uuid: string): Promise<void> {
    const response = await call(access, "GET", `${path}/result/${uuid}?wait=3`);
    if (response === null || response.status === 202 || response.status === 503) return;
    if (response.status !== 200) {
      reportUnexpected(`the result of ${uuid}`, response);
      return;
    }
    ledger.receive(uuid, response.text);
    ledger.count("results fetched during faults");
  }

  async function cancel(uuid: string): Promise<void> {
    ledger.abandon(uuid);
    const response = await call(access, "DELETE", `${path}/status/${uuid}`);
    if (response === null || response.status === 503) return;
    if (response.status === 200) ledger.count("jobs cancelled");
    else if (response.status === 204) ledger.count("jobs deleted");
    else reportUnexpected(`cancelling ${uuid}`, response);
  }

  while (!isOver()) {
    const search = Math.floor(random() * searches);
    const uuid = random() < 0.5 ? await submitOnce(search) : await submit(search, null);
    if (uuid === null) {
      await sleep(50);
      continue;
    }
    const choice = random();
    if (choice < 0.15) await cancel(uuid);
    else if (choice < 0.8) await fetchResult(uuid);
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
    const uuids = [...ledger.acceptedJobs.keys()];
    const uuid = uuids[Math.floor(random() * uuids.length)];
    if (uuid === undefined) continue;
    const [method, resource] = random() < 0.3 ? ["DELETE", "status"] : ["GET", "result"];
    const response = await call(access, method, `${path}/${resource}/${uuid}`);
    if (response === null || response.status === 503) continue;
    ledger.count("requests by another account");
    if (response.status !== 404) {
      ledger.contradict(`another account got ${response.status} for ${uuid}`);
    }
  }
}
