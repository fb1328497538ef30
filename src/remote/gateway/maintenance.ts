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

/** Synchronises memory and store until `stopSignal` aborts, then once more. */
export async function maintainNodes(
  context: MaintenanceContext,
  stopSignal: AbortSignal,
): Promise<void> {
  const { store, clock, log, registry, runs, events } = context;

  const tasks = {
    "reading nodes failed": async () => {
      if (registry.all().length > 0) context.onRefresh(await registry.refresh());
    },
    "writing quarantines failed": () => registry.writeQuarantines(),
    "writing node events failed": async () => {
      const queuedEvents = events.take();
      if (queuedEvents.length > 0) await store.write("recordNodeEvents", { events: queuedEvents });
    },
    "writing job counts failed": async (round: number) => {
      if (round % roundsPerCountWrite !== 0) return;
      recordActivity();
      await registry.writeUses();
    },
    "deleting old node rows failed": async (round: number) => {
      if (round % roundsPerSweep !== 0) return;
      while (await store.write("sweepNodes", { nowMs: clock.now(), retentionMs })) {
        if (stopSignal.aborted) return;
      }
    },
  };

  function recordActivity(): void {
    for (const run of runs.all()) {
      const silenceMs = clock.elapsed() - run.lastRequestMs;
      registry.recordUse(run.nodeId, { seenMs: clock.now() - Math.round(silenceMs) });
      if (!runs.isLive(run) && silenceMs > silentRunMs) context.onSilent(run);
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
    await clock.sleep(roundMs, stopSignal).catch(() => undefined);
    isLast = stopSignal.aborted;
    await runTasks(isLast ? roundsPerCountWrite : round);
  }
}
