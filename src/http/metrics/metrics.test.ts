import { expect, test } from "vitest";
import type { ArchiveStats, PlatformCoverage } from "../../archive/archive.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import { createMetrics } from "./metrics.ts";

const minuteMs = 60_000;

const interval = (fromMs: number, toMs: number) =>
  ({
    platform: "bluesky",
    collection: "posts",
    account: null,
    source: "jetstream",
    fromMs,
    toMs,
  }) as const;

test("the first scrape of the metrics already returns current values", async () => {
  const clock = createManualClock(100 * minuteMs);
  const coverage: PlatformCoverage[] = [
    {
      platform: "bluesky",
      hasPosts: true,
      intervals: [
        interval(10 * minuteMs, 20 * minuteMs),
        interval(30 * minuteMs, 40 * minuteMs),
        interval(45 * minuteMs, 100 * minuteMs),
      ],
    },
  ];
  const segments = [3, 4].map((posts) => ({ platform: "x", posts }));
  const metrics = createMetrics({
    queueDepth: () => 7,
    ingest: () => null,
    mastodonStream: () => null,
    archive: {
      archive: {
        onDamage: () => {},
        compactionState: async () => null,
        coverage: async () => coverage,
        stats: async () => ({ segments }) as unknown as ArchiveStats,
      },
      clock,
      coverageSlackMs: 0,
      liveSinceMs: () => 0,
    },
    process: {
      version: "1.2.3",
      threads: () => [{ thread: "writer", pendingCount: 2, busyMs: 1_500 }],
      disk: async () => ({ freeBytes: 40, totalBytes: 100 }),
    },
    isStoreFull: () => true,
    nodes: { nodes: () => [], isInsecure: () => true },
    waitingDeliveries: async () => 1,
    monthPostReads: async () => 120,
  });
  const lines = (await metrics.text()).split("\n");
  for (const line of [
    "earshot_job_queue_depth 7",
    "earshot_store_full 1",
    "earshot_nodes_insecure 1",
    "earshot_disk_free_bytes 40",
    "earshot_disk_bytes 100",
    'earshot_thread_waiting_calls{thread="writer"} 2',
    'earshot_thread_busy_seconds_total{thread="writer"} 1.5',
    "earshot_upstream_post_reads_month 120",
    `earshot_build_info{version="1.2.3",node="${process.version}"} 1`,
    'earshot_coverage_gaps{platform="bluesky"} 2',
    'earshot_coverage_gap_seconds{platform="bluesky"} 900',
    'earshot_archive_posts{platform="x"} 7',
  ]) {
    expect(lines).toContain(line);
  }
});

function makeMetrics(
  clock: ManualClock,
  stats: () => Promise<ArchiveStats>,
  waitingDeliveries: () => Promise<number>,
) {
  return createMetrics({
    queueDepth: () => 0,
    ingest: () => null,
    mastodonStream: () => null,
    archive: {
      archive: {
        onDamage: () => {},
        compactionState: async () => null,
        coverage: async () => [],
        stats,
      },
      clock,
      coverageSlackMs: 0,
      liveSinceMs: () => 0,
    },
    process: {
      version: "1.2.3",
      threads: () => [],
      disk: async () => ({ freeBytes: 40, totalBytes: 100 }),
    },
    isStoreFull: () => false,
    nodes: { nodes: () => [], isInsecure: () => false },
    waitingDeliveries,
    monthPostReads: async () => 0,
  });
}

test("archive totals that could not be read are read again at the next scrape, then once a minute", async () => {
  const clock = createManualClock();
  let reads = 0;
  const stats = async () => {
    reads += 1;
    if (reads === 1) throw new Error("a segment is being merged");
    return { segments: [{ platform: "x", posts: reads }] } as unknown as ArchiveStats;
  };
  const metrics = makeMetrics(clock, stats, async () => 0);
  expect(await metrics.text()).not.toContain('earshot_archive_posts{platform="x"}');
  expect(await metrics.text()).toContain('earshot_archive_posts{platform="x"} 2');
  await clock.advance(minuteMs - 1);
  expect(await metrics.text()).toContain('earshot_archive_posts{platform="x"} 2');
  await clock.advance(1);
  expect(await metrics.text()).toContain('earshot_archive_posts{platform="x"} 3');
});

test("waiting deliveries are counted at most every ten seconds, but again at the next scrape after a failure", async () => {
  const clock = createManualClock();
  let reads = 0;
  const stats = async () => ({ segments: [] }) as unknown as ArchiveStats;
  const metrics = makeMetrics(clock, stats, async () => {
    reads += 1;
    if (reads === 1) throw new Error("the store does not respond");
    return reads;
  });
  await metrics.text();
  expect(await metrics.text()).toContain("earshot_webhook_deliveries_waiting 2");
  await clock.advance(9_999);
  expect(await metrics.text()).toContain("earshot_webhook_deliveries_waiting 2");
  await clock.advance(1);
  expect(await metrics.text()).toContain("earshot_webhook_deliveries_waiting 3");
});
