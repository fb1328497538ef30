import { expect, test } from "vitest";
import { type CompactionState, unknownState } from "../../archive/compaction-state.ts";
import { watchCompaction } from "./compaction-watch.ts";

async function logLines(
  states: readonly (Partial<CompactionState> | null)[],
): Promise<unknown[][]> {
  const lines: unknown[][] = [];
  const stopController = new AbortController();
  const remainingStates = [...states];
  await watchCompaction({
    archive: {
      compactionState: async () => {
        const state = remainingStates.shift() ?? null;
        return state === null ? null : { ...unknownState("idle", 0), ...state };
      },
    },
    clock: {
      sleep: async () => {
        if (remainingStates.length === 0) stopController.abort();
      },
    },
    log: { warn: (...line) => lines.push(line), error: (...line) => lines.push(line) },
    signal: stopController.signal,
  });
  return lines;
}

test("a failing compaction task is logged once, and again after a success", async () => {
  const error = { kind: "seal" as const, message: "disk I/O error", atMs: 0 };
  const line = [{ task: "seal", message: "disk I/O error" }, "compaction failed"];
  expect(await logLines([{ error }, { error }, { error: null }, { error }])).toEqual([line, line]);
});

test("orphaned files are logged when their number increases", async () => {
  const oneOrphan = { orphaned: { files: 1, bytes: 10 } };
  const twoOrphans = { orphaned: { files: 2, bytes: 30 } };
  const text = "archive/orphaned contains orphaned files";
  expect(await logLines([null, oneOrphan, oneOrphan, twoOrphans, oneOrphan])).toEqual([
    [oneOrphan.orphaned, text],
    [twoOrphans.orphaned, text],
  ]);
});
