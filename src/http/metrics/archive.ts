import { Counter, Gauge, type Registry } from "prom-client";
import type { Archive } from "../../archive/archive.ts";
import type { CompactionState } from "../../archive/compaction-state.ts";
import type { Clock } from "../../lib/clock.ts";
import { addCoverageMetrics, type CoverageMetricSource } from "./coverage.ts";

export type ArchiveMetricSource = CoverageMetricSource & {
  archive: Pick<Archive, "compactionState" | "onDamage">;
  clock: Pick<Clock, "sleep">;
};

/** If a busy thread takes longer, the scrape gets the previous state. */
const timeoutMs = 250;

/** Compaction metrics are absent while the state is unknown or another process is running compaction. */
export function addArchiveMetrics(
  registry: Registry,
  source: ArchiveMetricSource,
): { refresh(): Promise<void> } {
  const { archive, clock } = source;
  const registers = [registry];
  const coverageMetrics = addCoverageMetrics(registry, source);
  let state: CompactionState | null = null;
  let pendingRefresh: Promise<void> | null = null;

  function gauge(name: string, help: string, value: (current: CompactionState) => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        if (state === null) this.remove();
        else this.set(value(state));
      },
    });
  }

  gauge("earshot_archive_segments", "Segments of the archive", (current) => current.segments);
  gauge("earshot_archive_bytes", "Bytes of the archive on disk", (current) => current.bytes);
  gauge("earshot_archive_max_bytes", "Maximum bytes of the archive", (current) => current.maxBytes);
  gauge(
    "earshot_archive_over_bound",
    "Whether the archive exceeds its maximum and expiry cannot help",
    ({ isOverBound }) => Number(isOverBound),
  );
  gauge(
    "earshot_archive_log_bytes",
    "Bytes of the largest write-ahead log",
    (current) => current.walBytes,
  );
  gauge(
    "earshot_archive_waiting_counts",
    "Pending counts, not yet added to posts",
    (current) => current.counts,
  );
  gauge(
    "earshot_archive_compaction_failing",
    "Whether the last compaction task failed",
    ({ error }) => Number(error !== null),
  );
  new Gauge({
    name: "earshot_archive_compaction_waiting",
    help: "Pending compaction tasks",
    labelNames: ["task"],
    registers,
    collect() {
      this.reset();
      for (const [task, count] of Object.entries(state?.waiting ?? {})) this.set({ task }, count);
    },
  });
  new Counter({
    name: "earshot_archive_compaction_tasks_total",
    help: "Completed compaction tasks since the start",
    labelNames: ["task"],
    registers,
    collect() {
      this.reset();
      for (const [task, count] of Object.entries(state?.done ?? {})) this.inc({ task }, count);
    },
  });
  new Counter({
    name: "earshot_archive_aged_out_posts_total",
    help: "Expired posts since the start",
    registers,
    collect() {
      this.reset();
      this.inc(state?.expiredPosts ?? 0);
    },
  });

  const damagedAnswers = new Counter({
    name: "earshot_archive_damaged_answers_total",
    help: "Answers that are incomplete because of damage in the archive",
    registers,
  });
  archive.onDamage(() => damagedAnswers.inc());

  async function readCompaction(): Promise<void> {
    const answer = await archive.compactionState().catch(() => null);
    state = answer?.status === "other-process" ? null : answer;
  }

  async function refresh(): Promise<void> {
    pendingRefresh ??= Promise.all([
      readCompaction(),
      coverageMetrics.refresh().catch(() => undefined),
    ])
      .then(() => undefined)
      .finally(() => {
        pendingRefresh = null;
      });
    const timerAbort = new AbortController();
    const timeout = clock.sleep(timeoutMs, timerAbort.signal).catch(() => {});
    await Promise.race([pendingRefresh, timeout]);
    timerAbort.abort();
  }

  return { refresh };
}
