import { expect, test } from "vitest";
import { createManualClock } from "../../lib/manual-clock.ts";
import { startReports, timeLeft } from "./progress-reports.ts";
import type { Terminal } from "./terminal.ts";

test("the progress report estimates the remaining time once there is enough progress", () => {
  expect(timeLeft(0.5, 60_000)).toBe("about 60 s left");
  expect(timeLeft(0.1, 60_000)).toBe("about 9 min left");
  expect(timeLeft(0.1, 3_600_000)).toBe("about 9 h left");
  expect(timeLeft(0.001, 60_000)).toBeNull();
  expect(timeLeft(0.5, 1_000)).toBeNull();
  expect(timeLeft(1, 60_000)).toBeNull();
});

test("the progress report without a bar prints a line at intervals", async () => {
  const notes: string[] = [];
  const printedLines: string[] = [];
  const terminal: Terminal = {
    out: (text) => printedLines.push(text),
    note: (text) => notes.push(text),
    interactive: false,
    interactiveNotes: false,
    columns: 80,
    colour: false,
    environment: {},
    stopSignal: new AbortController().signal,
  };
  const clock = createManualClock();
  const reports = startReports(terminal, clock, "backfill");
  reports.update({ done: 1, total: 4, detail: "1 of 4" });
  expect(notes).toEqual([]);
  await clock.advance(15_000);
  reports.update({ done: 2, total: 4, detail: "2 of 4" });
  reports.update({ done: 3, total: 4, detail: "3 of 4" });
  reports.print("three\n");
  reports.end();
  expect(notes).toEqual(["backfill: 50 %, 2 of 4, about 15 s left\n"]);
  expect(printedLines).toEqual(["three\n"]);
});
