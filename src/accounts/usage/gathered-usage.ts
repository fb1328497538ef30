import type { Clock } from "../../lib/clock.ts";
import type { Method } from "../../platforms/methods.ts";
import {
  addLatencies,
  type LatencyHistogram,
  parseLatencies,
  printLatencies,
  recordLatency,
} from "./latency-histogram.ts";
import type { UsageRow } from "./operations.ts";
import { type KeyRequest, maxLoggedRequests } from "./request-log-operations.ts";

type CountedCall = {
  accountId: string;
  keyId: string;
  method: Method | "";
  bucketMs: number;
  isRefused: boolean;
  hasFailed: boolean;
  posts: number;
  /** Null if the duration does not count. */
  latencyMs: number | null;
};

type Entry = Omit<UsageRow, "latencies"> & { latencies: LatencyHistogram };

/**
 * Counts per quarter of an hour, key and method. Above `max` entries, new ones omit the key, so
 * that totals stay correct; above twice as many, calls are lost.
 */
export type GatheredUsage = {
  add(call: CountedCall): void;
  restore(rows: readonly UsageRow[]): void;
  take(): UsageRow[];
  takeLost(): number;
};

export function createGatheredUsage(max: number): GatheredUsage {
  let entries = new Map<string, Entry>();
  let lostCalls = 0;

  function getEntry(call: Pick<UsageRow, "accountId" | "bucketMs" | "keyId" | "method">) {
    return findOrCreate(call, call.keyId, max) ?? findOrCreate(call, "", 2 * max);
  }

  function findOrCreate(
    { accountId, bucketMs, method }: Pick<UsageRow, "accountId" | "bucketMs" | "method">,
    keyId: string,
    maxEntries: number,
  ): Entry | null {
    const name = `${keyId} ${method} ${bucketMs} ${accountId}`;
    const found = entries.get(name);
    if (found !== undefined) return found;
    if (entries.size >= maxEntries) return null;
    const entry: Entry = {
      accountId,
      bucketMs,
      keyId,
      method,
      calls: 0,
      refused: 0,
      failed: 0,
      posts: 0,
      latencies: new Map(),
    };
    entries.set(name, entry);
    return entry;
  }

  function add(call: CountedCall): void {
    const entry = getEntry(call);
    if (entry === null) {
      lostCalls += 1;
      return;
    }
    entry.calls += 1;
    entry.refused += call.isRefused ? 1 : 0;
    entry.failed += call.hasFailed ? 1 : 0;
    entry.posts += call.posts;
    if (call.latencyMs !== null) recordLatency(entry.latencies, call.latencyMs);
  }

  function restore(rows: readonly UsageRow[]): void {
    for (const row of rows) {
      const entry = getEntry(row);
      if (entry === null) {
        lostCalls += row.calls;
        continue;
      }
      entry.calls += row.calls;
      entry.refused += row.refused;
      entry.failed += row.failed;
      entry.posts += row.posts;
      addLatencies(entry.latencies, parseLatencies(row.latencies));
    }
  }

  function take(): UsageRow[] {
    const drainedEntries = [...entries.values()];
    entries = new Map();
    return drainedEntries.map((entry) => ({
      ...entry,
      latencies: printLatencies(entry.latencies),
    }));
  }

  function takeLost(): number {
    const count = lostCalls;
    lostCalls = 0;
    return count;
  }

  return { add, restore, take, takeLost };
}

type PendingUse = { keyId: string; usedMs: number; address: string };

export type KeyUses = {
  record(keyId: string, address: string): void;
  takeDue(): PendingUse[];
  restore(uses: readonly PendingUse[]): void;
  makeAllDue(): void;
};

const intervalMs = 60_000;

/** Drops the uses of further keys while `max` keys are pending. */
export function createKeyUses(clock: Pick<Clock, "now" | "elapsed">, max: number): KeyUses {
  const pendingUses = new Map<string, PendingUse>();
  const takenAtMs = new Map<string, number>();

  function record(keyId: string, address: string): void {
    const pending = pendingUses.get(keyId);
    if (pending !== undefined) {
      pending.usedMs = clock.now();
      pending.address = address;
      return;
    }
    if (pendingUses.size < max) pendingUses.set(keyId, { keyId, usedMs: clock.now(), address });
  }

  function takeDue(): PendingUse[] {
    const nowMs = clock.elapsed();
    for (const [keyId, ms] of takenAtMs) if (nowMs - ms >= intervalMs) takenAtMs.delete(keyId);
    const dueUses = [...pendingUses.values()].filter(({ keyId }) => !takenAtMs.has(keyId));
    for (const { keyId } of dueUses) {
      pendingUses.delete(keyId);
      takenAtMs.set(keyId, nowMs);
    }
    return dueUses;
  }

  function restore(uses: readonly PendingUse[]): void {
    for (const use of uses) {
      takenAtMs.delete(use.keyId);
      if (!pendingUses.has(use.keyId)) pendingUses.set(use.keyId, use);
    }
  }

  return { record, takeDue, restore, makeAllDue: () => takenAtMs.clear() };
}

export type LatestRequests = {
  record(request: KeyRequest): void;
  take(): KeyRequest[];
  restore(requests: readonly KeyRequest[]): void;
};

/** While `maxKeys` keys have unwritten requests, those of further keys are ignored. */
export function createLatestRequests(maxKeys: number): LatestRequests {
  let byKey = new Map<string, KeyRequest[]>();

  function record(request: KeyRequest): void {
    const keyRequests = byKey.get(request.keyId);
    if (keyRequests === undefined) {
      if (byKey.size < maxKeys) byKey.set(request.keyId, [request]);
      return;
    }
    keyRequests.push(request);
    // Trims rarely, because removing from the front moves the remaining requests.
    if (keyRequests.length >= 2 * maxLoggedRequests)
      keyRequests.splice(0, keyRequests.length - maxLoggedRequests);
  }

  function take(): KeyRequest[] {
    const latestRequests = [...byKey.values()].flatMap((own) => own.slice(-maxLoggedRequests));
    byKey = new Map();
    return latestRequests;
  }

  function restore(requests: readonly KeyRequest[]): void {
    const newerRequests = take();
    for (const request of [...requests, ...newerRequests]) record(request);
  }

  return { record, take, restore };
}
