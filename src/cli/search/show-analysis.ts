import { describeIds, describePlan, describeTime, type ResolvedNames } from "@earshot/query/plan";
import type { SearchWork } from "../../archive/archive.ts";
import { stripControls } from "../../lib/controls.ts";
import { painter, type Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/text-layout.ts";
import { type Analysis, analysisSteps } from "./analysis.ts";

export function showAnalysis(
  analysis: Analysis,
  terminal: Pick<Terminal, "colour" | "columns">,
): string {
  const { bold } = painter(terminal);
  const { names, answer, tookMs } = analysis;
  const sections: [string, string[]][] = [
    ["Names", nameLines(names)],
    ["Index query", queryLines(analysis, terminal.columns)],
    ["Work", workLines(analysis)],
    ["Opened segments", segmentLines(answer.work)],
    ["Time", timeLines(tookMs)],
  ];
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [bold(title), ...lines.map((line) => `  ${line}`)].join("\n"))
    .join("\n\n");
}

function nameLines({ accounts, posts }: ResolvedNames): string[] {
  const line =
    (subject: string) =>
    ([name, keys]: readonly [string, readonly string[]]) =>
      stripControls(`${subject} ${name} resolves to ${keys.join(", ") || "nothing"}`);
  return [...[...accounts].map(line("account")), ...[...posts].map(line("post"))];
}

/** Platforms with the same query share lines. */
function queryLines({ queries, bounds }: Analysis, columns: number): string[] {
  const texts = queries.map(({ platform, query }) => {
    if (query === null) return { platform, lines: ["nothing: no post can match"] };
    const { expression, residual, fromMs, toMs } = query;
    const match = wrap(stripControls(expression ?? "every post"), columns - 4);
    const isTimed = fromMs !== null || toMs !== null;
    if (isTimed) match.push("rechecked: the time, where the ID is not exact");
    if (residual.kind === "all") return { platform, lines: match };
    const residualLines = stripControls(describePlan(residual)).split("\n");
    return {
      platform,
      lines: [
        ...match,
        "rechecked, because the index cannot express it exactly:",
        ...residualLines.map(indent),
      ],
    };
  });
  const groups = Map.groupBy(texts, ({ lines }) => lines.join("\n"));
  const lines = [...groups.values()].flatMap((group) => [
    group.map(({ platform }) => platform).join(", "),
    ...(group[0]?.lines ?? []).map(indent),
  ]);
  const { fromMs, toMs, lowId, highId } = bounds;
  return [...lines, `bounds: ${describeTime(fromMs, toMs)}; ${describeIds(lowId, highId)}`];
}

function workLines({ answer, limit }: Analysis): string[] {
  const { work, complete, next } = answer;
  const deadline = complete
    ? "met"
    : "exceeded: narrow the query with since: and until:, or raise EARSHOT_JOB_DEADLINE";
  return table([
    [
      "segments",
      `${work.segmentsOfPlatforms} stored, ${work.segmentsInWindow} in the window, ${work.segmentsOpened} opened`,
    ],
    ["statements", String(work.statements)],
    [
      "candidates",
      `${work.candidates}, ${work.rechecked} rechecked${next === null ? "" : "; stopped at the limit, before older posts"}`,
    ],
    ["containers", `${work.containers} of sealed segments`],
    ["returned", `${work.returned} of at most ${limit}`],
    ["deadline", deadline],
    ["next page", next === null ? "none" : `below ID ${next.id} of ${next.platform}`],
  ]);
}

function segmentLines({ segments, segmentsOpened }: SearchWork): string[] {
  if (segments.length === 0) return [];
  const head = ["platform", "segment", "candidates", "rechecked", "containers", "found", "ms"];
  const rows = segments.map((work) => [
    work.platform,
    ...[work.sequence, work.candidates, work.rechecked, work.containers, work.found].map(String),
    milliseconds(work.tookMs),
  ]);
  const unlistedCount = segmentsOpened - segments.length;
  return [...table([head, ...rows]), ...(unlistedCount > 0 ? [`and ${unlistedCount} more`] : [])];
}

function timeLines(tookMs: Analysis["tookMs"]): string[] {
  const total = analysisSteps.reduce((sum, step) => sum + tookMs[step], 0);
  const rows = [
    ...analysisSteps.map((step) => [step, tookMs[step]] as const),
    ["total", total] as const,
  ];
  const width = Math.max(...rows.map(([, ms]) => milliseconds(ms).length));
  const lines = table(rows.map(([step, ms]) => [step, `${milliseconds(ms).padStart(width)} ms`]));
  return [...lines, "a running server is faster: it opens the archive once, and its code is warm"];
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  const isNumeric = (column: number) =>
    rows.slice(1).every((row) => /^[\d.]+$/.test(row[column] ?? ""));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column > 0 && isNumeric(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
}

function milliseconds(ms: number): string {
  if (ms >= 100) return ms.toFixed(0);
  if (ms >= 10) return ms.toFixed(1);
  return ms.toFixed(ms >= 1 ? 2 : 3);
}

const indent = (line: string): string => `  ${line}`;
