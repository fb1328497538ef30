import type { Archive } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";

const checkMs = 10_000;

export type CompactionWatch = {
  archive: Pick<Archive, "compactionState">;
  clock: Pick<Clock, "sleep">;
  log: {
    warn(fields: object, text: string): void;
    error(fields: object, text: string): void;
  };
  signal: AbortSignal;
};

export async function watchCompaction({
  archive,
  clock,
  log,
  signal,
}: CompactionWatch): Promise<void> {
  let loggedError = "";
  let loggedFiles = 0;
  while (!signal.aborted) {
    const state = await archive.compactionState().catch(() => null);
    const { kind: task = null, message = "" } = state?.error ?? {};
    if (message !== "" && message !== loggedError)
      log.error({ task, message }, "compaction failed");
    loggedError = message;
    const { files, bytes } = state?.orphaned ?? { files: 0, bytes: 0 };
    if (files > loggedFiles) {
      log.warn({ files, bytes }, "archive/orphaned contains orphaned files");
    }
    loggedFiles = files;
    await clock.sleep(checkMs, signal).catch(() => undefined);
  }
}
