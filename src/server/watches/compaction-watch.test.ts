import { expect, test } from "vitest";
import { type CompactionState, unknownState } from "../../archive/compaction-state.ts";
import { watchCompaction } from "./compaction-watch.ts";

async function loggedLines(
  states: readonly (Partial<CompactionState> | null)[],
): Promise<unknown[][]> {
  const lines: unknown[][] = [];
  const stopping = new AbortController();
  const remaining = [...states];
  await watchCompaction({
    archive: {
      compactionState: async () => {
        const state = remaining.shift() ?? null;
        return state === null ? null : { ...unknownState("idle", 0), ...state };
      },
    },
    clock: {
      sleep: async () => {
        if (remaining.length === 0) stopping.abort();
      },
    },
    log: { warn: (...line) => lines.push(line), error: (...line) => lines.push(line) },
    signal: stopping.signal,
  });
  return lines;
}

test("a failing compaction task is logged once, and again after a success", async () => {
  const error = { kind: "seal" as const, message: "disk I/O error", atMs: 0 };
  const line = [{ task: "seal", message: "disk I/O error" }, "compaction failed"];
  expect(await loggedLines([{ error }, { error }, { error: null }, { error }])).toEqual([
    line,
    line,
  ]);
});

test("orphaned files are logged when their number increases", async () => {
  const one = { orphaned: { files: 1, bytes: 10 } };
  const two = { orphaned: { files: 2, bytes: 30 } };
  const text = "archive/orphaned contains orphaned files";
  expect(await loggedLines([null, one, one, two, one])).toEqual([
    [one.orphaned, text],
    [two.orphaned, text],
  ]);
});
