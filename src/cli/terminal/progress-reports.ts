import type { Clock } from "../../lib/clock.ts";
import { startProgress } from "./progress.ts";
import type { Terminal } from "./terminal.ts";

type Report = { done: number; total: number; detail: string };

export type ProgressReports = {
  update(report: Report): void;
  note(line: string): void;
  print(line: string): void;
  end(): void;
};

/** Time between notes if there is no bar. */
const noteIntervalMs = 10_000;
const minShare = 0.01;
const minElapsedMs = 3_000;

export function startReports(
  terminal: Terminal,
  clock: Pick<Clock, "elapsed">,
  title: string,
): ProgressReports {
  const startMs = clock.elapsed();
  let bar = startProgress(terminal, title);
  let lastReport: Report | null = null;
  let lastNoteMs = startMs;

  function formatNote({ done, total, detail }: Report): string {
    const timeLeftText = timeLeft(done / Math.max(1, total), clock.elapsed() - startMs);
    return timeLeftText === null ? detail : `${detail}, ${timeLeftText}`;
  }

  function withoutBar(write: () => void): void {
    bar.end();
    write();
    bar = startProgress(terminal, title);
    if (lastReport !== null)
      bar.update(lastReport.done, Math.max(1, lastReport.total), formatNote(lastReport));
  }

  return {
    update: (report) => {
      lastReport = report;
      bar.update(report.done, Math.max(1, report.total), formatNote(report));
      if (terminal.interactiveNotes || clock.elapsed() - lastNoteMs < noteIntervalMs) return;
      lastNoteMs = clock.elapsed();
      const percent = Math.floor((100 * report.done) / Math.max(1, report.total));
      terminal.note(`${title}: ${percent} %, ${formatNote(report)}\n`);
    },
    note: (line) => withoutBar(() => terminal.note(line)),
    print: (line) => withoutBar(() => terminal.out(line)),
    end: () => bar.end(),
  };
}

/** Null while there is too little progress. */
export function timeLeft(share: number, elapsedMs: number): string | null {
  if (share < minShare || share >= 1 || elapsedMs < minElapsedMs) return null;
  const seconds = Math.ceil((elapsedMs * (1 - share)) / share / 1_000);
  if (seconds < 90) return `about ${seconds} s left`;
  if (seconds < 90 * 60) return `about ${Math.ceil(seconds / 60)} min left`;
  return `about ${Math.ceil(seconds / 3_600)} h left`;
}
