import type { Clock } from "../../lib/clock.ts";
import type { JsonPage } from "../../lib/json-page.ts";
import { isFetched } from "../../platforms/source.ts";
import type { Job } from "../job.ts";

/**
 * A short-lived cache, because most results are fetched immediately. An entry must equal its row:
 * code that changes or deletes the row of a done job must call `forget`.
 */
export type EndedJobs = {
  add(job: Job, page?: CachedPage | null): void;
  find(accountId: string, uuid: string): Job | null;
  takePage(uuid: string, version: number | null): JsonPage | null;
  forget(uuid: string): void;
  forgetAccount(accountId: string): void;
  forgetAll(): void;
};

/** `version`: the archive version before the records were read. */
export type CachedPage = JsonPage & { version: number };

const cacheDurationMs = 10_000;
const maxBytes = 16_777_216;
const maxJobBytes = 262_144;

type Entry = { job: Job; bytes: number; untilMs: number; page: CachedPage | null };

export function createEndedJobs(
  clock: Pick<Clock, "elapsed">,
  now: () => number,
  retentionMs: number,
): EndedJobs {
  const entries = new Map<string, Entry>();
  let bytes = 0;

  function add(job: Job, page: CachedPage | null = null): void {
    if (job.state !== "done") return;
    const jobBytes = computeBytes(job, page);
    if (jobBytes > maxJobBytes) return;
    const cachedPage = page !== null && page.body.length <= maxJobBytes ? page : null;
    const entryBytes = jobBytes + (cachedPage?.body.length ?? 0);
    entries.set(job.uuid, {
      job,
      bytes: entryBytes,
      untilMs: clock.elapsed() + cacheDurationMs,
      page: cachedPage,
    });
    bytes += entryBytes;
    for (const [uuid, entry] of entries) {
      if (bytes <= maxBytes && entry.untilMs > clock.elapsed()) break;
      forget(uuid);
    }
  }

  function find(accountId: string, uuid: string): Job | null {
    const entry = entries.get(uuid);
    if (entry === undefined || entry.job.accountId !== accountId) return null;
    const { job, untilMs } = entry;
    const nowMs = now();
    const endMs = Math.min(job.expiresMs ?? nowMs, (job.finishedMs ?? nowMs) + retentionMs);
    return untilMs > clock.elapsed() && endMs > nowMs && entries.has(uuid) ? job : null;
  }

  function takePage(uuid: string, version: number | null): JsonPage | null {
    const page = entries.get(uuid)?.page ?? null;
    if (page === null) return null;
    forget(uuid);
    return page.version === version ? page : null;
  }

  function forget(uuid: string): void {
    bytes -= entries.get(uuid)?.bytes ?? 0;
    entries.delete(uuid);
  }

  function forgetAccount(accountId: string): void {
    for (const [uuid, { job }] of entries) if (job.accountId === accountId) forget(uuid);
  }

  function forgetAll(): void {
    entries.clear();
    bytes = 0;
  }

  return { add, find, takePage, forget, forgetAccount, forgetAll };
}

function computeBytes({ result, request }: Job, page: CachedPage | null): number {
  const items = page === null ? (result?.items ?? []) : [];
  const records = items.reduce((sum, item) => sum + (isFetched(item) ? item.record.length : 0), 0);
  const posts = page?.lengths.length ?? items.length;
  return 4_096 + 128 * posts + 2 * (records + request.query.length);
}
