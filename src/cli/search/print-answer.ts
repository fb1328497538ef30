import type { PlatformCoverage } from "../../archive/archive.ts";
import { stripControls } from "../../lib/controls.ts";
import type { Coverage } from "../../platforms/source.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { coverageLines, coverageSentence } from "./show-coverage.ts";
import { showRecord } from "./show-record.ts";

export type PrintedAnswer = {
  /** Each is JSON text. */
  records: readonly string[];
  hasMore: boolean;
  coverage: Coverage;
  warnings: readonly { code: string; message: string }[];
};

type Times = { nowMs: number; slackMs: number };

/** Prints posts to standard output and coverage as notes. `archived` is the whole archive's coverage. */
export function printAnswer(
  answer: PrintedAnswer,
  archived: readonly PlatformCoverage[],
  times: Times,
  terminal: Terminal,
): void {
  for (const record of answer.records) terminal.out(showRecord(record, terminal));
  terminal.note(`${formatCount(answer)}. ${coverageSentence(answer)}.\n`);
  for (const line of coverageLines(answer, archived, times, terminal)) terminal.note(`${line}\n`);
}

function formatCount({ records, hasMore }: PrintedAnswer): string {
  const posts = records.length === 1 ? "1 post" : `${records.length} posts`;
  return hasMore ? `${posts}; more match: raise --max-results, up to 500` : posts;
}

/** Ends with a line break; on a terminal, without the control characters that posts may contain. */
export function printable(text: string, { interactive }: Pick<Terminal, "interactive">): string {
  const printable = interactive ? stripControls(text) : text;
  return printable.endsWith("\n") ? printable : `${printable}\n`;
}
