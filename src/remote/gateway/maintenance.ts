import { errorMessage } from "../../lib/errors.ts";
import { retentionMs } from "../settings.ts";
import type { GatewayParts } from "./node-directory.ts";
import type { NodeRecord } from "./node-record.ts";
import type { Run } from "./runs.ts";

type MaintenanceContext = GatewayParts & {
  onRefresh: (changed: readonly NodeRecord[]) => void;
  onSilent: (run: Run) => void;
};

const roundMs = 1_000;
const roundsPerCountWrite = 10;
const roundsPerSweep = 60;
const silentRunMs = 600_000;

/** Synchronises memory and store until `stopping` aborts, then once more. */
export async function maintainNodes(
  context: MaintenanceContext,
  stopping: AbortSignal,
): Promise<void> {
  const { store, clock, log, registry, runs, events } = context;

  const tasks = {
    "reading nodes failed": async () => {
      if (registry.all().length > 0) context.onRefresh(await registry.refresh());
    },
    "writing quarantines failed": () => registry.writeQuarantines(),
    "writing node events failed": async () => {
      const waiting = events.take();
      if (waiting.length > 0) await store.write("recordNodeEvents", { events: waiting });
    },
    "writing job counts failed": async (round: number) => {
      if (round % roundsPerCountWrite !== 0) return;
      recordSeen();
      await registry.writeUses();
    },
    "deleting old node rows failed": async (round: number) => {
      if (round % roundsPerSweep !== 0) return;
      while (await store.write("sweepNodes", { nowMs: clock.now(), retentionMs })) {
        if (stopping.aborted) return;
      }
    },
  };

  function recordSeen(): void {
    for (const run of runs.all()) {
      const silence = clock.elapsed() - run.lastRequestMs;
      registry.recordUse(run.nodeId, { seenMs: clock.now() - Math.round(silence) });
      if (!runs.isLive(run) && silence > silentRunMs) context.onSilent(run);
    }
  }

  async function runTasks(round: number): Promise<void> {
    for (const [failure, task] of Object.entries(tasks)) {
      await task(round).catch((error: unknown) =>
        log.warn({ error: errorMessage(error) }, failure),
      );
    }
  }

  let isLast = false;
  for (let round = 1; !isLast; round += 1) {
    await clock.sleep(roundMs, stopping).catch(() => undefined);
    isLast = stopping.aborted;
    await runTasks(isLast ? roundsPerCountWrite : round);
  }
}
