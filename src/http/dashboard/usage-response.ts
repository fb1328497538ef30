import type { AccountStore } from "../../accounts/store.ts";
import {
  addLatencies,
  type LatencyHistogram,
  latencyAt,
  parseLatencies,
} from "../../accounts/usage/latency-histogram.ts";
import type { GroupedUsage } from "../../accounts/usage/operations.ts";
import { isoText } from "../../lib/iso-time.ts";
import { type Method, methodNames } from "../../platforms/methods.ts";
import type { UsageRange, UsageResponse, UsageTotals } from "./contract/usage.ts";
import { ranges } from "./ranges.ts";

export type UsageParams = {
  accountId: string;
  range: UsageRange;
  /** Null means all keys. */
  keyId: string | null;
};

/** Key ID of calls from the dashboard. */
export const dashboardKeyId = (accountId: string): string => `dashboard-${accountId}`;

/** Time span per read, so that other requests can run in between. */
const pageMs = 86_400_000;

/** The first bucket is complete, the last still open. Errors: those of the store. */
export async function usageResponse(
  accounts: Pick<AccountStore, "read">,
  { accountId, range, keyId }: UsageParams,
  nowMs: number,
): Promise<UsageResponse> {
  const { spanMs, usageBucketMs: widthMs } = ranges[range];
  const endMs = Math.floor(nowMs / widthMs) * widthMs + widthMs;
  const fromMs = endMs - spanMs;
  const total = createTally();
  const byMethod = new Map<Method, Tally>();
  const byBucket = new Map<number, Tally>();
  for (let startMs = fromMs; startMs < endMs; startMs += widthMs) {
    byBucket.set(startMs, createTally());
  }
  const usedIds = new Set<string>();

  for (let pageFromMs = fromMs; pageFromMs < endMs; pageFromMs += pageMs) {
    const toMs = Math.min(pageFromMs + pageMs, endMs);
    const params = { accountId, keyId, fromMs: pageFromMs, toMs, widthMs };
    const { groups, keyIds } = await accounts.read("usageOf", params);
    for (const id of keyIds) usedIds.add(id);
    for (const group of groups) {
      const latencies = parseLatencies(group.latencies);
      const tallies = [total, byBucket.get(group.startMs)];
      if (group.method !== "") tallies.push(tallyFor(byMethod, group.method));
      for (const tally of tallies) if (tally !== undefined) addTo(tally, group, latencies);
    }
  }
  return {
    range,
    from: isoText(fromMs),
    to: isoText(nowMs),
    bucket_ms: widthMs,
    totals: makeTotals(total),
    buckets: [...byBucket].map(([startMs, tally]) => {
      const { posts: _posts, searches_failed: _failed, ...totals } = makeTotals(tally);
      return { start: isoText(startMs), ...totals };
    }),
    methods: methodNames.flatMap((method) => {
      const tally = byMethod.get(method);
      return tally === undefined ? [] : [{ method, ...makeTotals(tally) }];
    }),
    keys: await readKeys(accounts, accountId, usedIds, nowMs),
  };
}

async function readKeys(
  accounts: Pick<AccountStore, "read">,
  accountId: string,
  usedIds: ReadonlySet<string>,
  nowMs: number,
): Promise<UsageResponse["keys"]> {
  const keys = await accounts.read("keyNames", { accountId, keyIds: [...usedIds], nowMs });
  const dashboardId = dashboardKeyId(accountId);
  if (!usedIds.has(dashboardId)) return keys;
  return [...keys, { id: dashboardId, name: "Dashboard", ended: false }];
}

type Tally = Omit<UsageTotals, "p50_ms" | "p99_ms"> & { latencies: LatencyHistogram };

const createTally = (): Tally => ({
  requests: 0,
  refused: 0,
  failed: 0,
  searches: 0,
  searches_failed: 0,
  posts: 0,
  latencies: new Map(),
});

function tallyFor(tallies: Map<Method, Tally>, method: Method): Tally {
  const tally = tallies.get(method) ?? createTally();
  tallies.set(method, tally);
  return tally;
}

function addTo(tally: Tally, group: GroupedUsage, latencies: LatencyHistogram): void {
  if (group.method === "") {
    tally.requests += group.calls;
    tally.refused += group.refused;
    tally.failed += group.failed;
    return;
  }
  tally.searches += group.calls;
  tally.searches_failed += group.failed;
  tally.posts += group.posts;
  addLatencies(tally.latencies, latencies);
}

function makeTotals({ latencies, ...counts }: Tally): UsageTotals {
  return { ...counts, p50_ms: latencyAt(latencies, 0.5), p99_ms: latencyAt(latencies, 0.99) };
}
