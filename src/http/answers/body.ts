import type { Clock } from "../../lib/clock.ts";
import { startSlices } from "../../lib/slices.ts";
import { renderCsv } from "./csv.ts";
import { renderJson, renderNdjson } from "./json.ts";
import { renderMarkdownAnswer } from "./markdown.ts";
import type { AnswerFormat } from "./negotiate.ts";
import type { AnswerPage } from "./page.ts";

export const contentTypes: Readonly<Record<AnswerFormat, string>> = {
  "application/json": "application/json; charset=utf-8",
  "application/x-ndjson": "application/x-ndjson; charset=utf-8",
  "text/csv": "text/csv; charset=utf-8; header=present",
  "text/markdown": "text/markdown; charset=utf-8",
};

const writers: Readonly<Record<AnswerFormat, (page: AnswerPage) => Iterable<string>>> = {
  "application/json": renderJson,
  "application/x-ndjson": renderNdjson,
  "text/csv": renderCsv,
  "text/markdown": renderMarkdownAnswer,
};

export async function renderBody(
  page: AnswerPage,
  format: AnswerFormat,
  clock: Pick<Clock, "elapsed">,
): Promise<Buffer> {
  const yieldIfDue = startSlices(clock);
  const pieces: Buffer[] = [];
  for (const piece of writers[format](page)) {
    pieces.push(Buffer.from(piece));
    await yieldIfDue();
  }
  return Buffer.concat(pieces);
}
