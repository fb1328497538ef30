import type { PlatformCoverage } from "../../archive/archive.ts";
import { stripControls } from "../../lib/controls.ts";
import type { Coverage, SourceAnswer } from "../../platforms/source.ts";
import { drawCoverage, showsUnicode } from "../terminal/draw-coverage.ts";
import { drawTimelines } from "../terminal/draw-timelines.ts";
import { painter, type Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/text-layout.ts";

export type PrintedAnswer = {
  /** Each record is JSON text. */
  records: readonly string[];
  hasMore: boolean;
  coverage: Coverage;
  warnings: readonly { code: string; message: string }[];
};

type Times = { nowMs: number; slackMs: number };

/** Prints posts to standard output and coverage as notes. `archiveCoverage` is the whole archive's. */
export function printAnswer(
  answer: PrintedAnswer,
  archiveCoverage: readonly PlatformCoverage[],
  times: Times,
  terminal: Terminal,
): void {
  for (const record of answer.records) terminal.out(showRecord(record, terminal));
  terminal.note(`${formatCount(answer)}. ${coverageSentence(answer)}.\n`);
  for (const line of coverageLines(answer, archiveCoverage, times, terminal))
    terminal.note(`${line}\n`);
}

function formatCount({ records, hasMore }: PrintedAnswer): string {
  const posts = records.length === 1 ? "1 post" : `${records.length} posts`;
  return hasMore ? `${posts}; more match: raise --max-results, up to 500` : posts;
}

/** Adds a missing final line break. On a terminal, removes control characters, which posts may contain. */
export function toPrintable(text: string, { interactive }: Pick<Terminal, "interactive">): string {
  const printable = interactive ? stripControls(text) : text;
  return printable.endsWith("\n") ? printable : `${printable}\n`;
}

/** An empty list must never hide a gap. */
function coverageSentence({ coverage }: Pick<SourceAnswer, "coverage">): string {
  if (coverage.complete) return "The archive covers this time completely";
  return coversSome(coverage)
    ? "There may be more: the archive does not cover all of this time"
    : "There may be more: the archive does not cover this time";
}

const coversSome = ({ platforms = [] }: Coverage): boolean =>
  platforms.some(({ collection, held: covered }) => collection === "posts" && covered.length > 0);

const maxListedGaps = 3;

function coverageLines(
  {
    coverage,
    warnings,
  }: Pick<SourceAnswer, "coverage"> & { warnings: readonly { code: string; message: string }[] },
  archiveCoverage: readonly PlatformCoverage[],
  { nowMs, slackMs }: { nowMs: number; slackMs: number },
  terminal: Terminal,
): string[] {
  const options = {
    width: terminal.columns,
    nowMs,
    listedGaps: maxListedGaps,
    unicode: showsUnicode(terminal),
  };
  const notes = warnings
    .filter(({ code }) => code === "counts_incomplete" || code === "labels_incomplete")
    .flatMap(({ message }) => wrap(message, terminal.columns));
  if (coverage.complete) return notes;
  if (!coversSome(coverage)) {
    const coveredPlatforms = archiveCoverage.filter(({ intervals }) => intervals.length > 0);
    return [
      ...(coveredPlatforms.length === 0
        ? []
        : drawCoverage(coveredPlatforms, { ...options, slackMs })),
      ...notes,
    ];
  }
  const rows = (coverage.platforms ?? [])
    .filter(({ collection }) => collection === "posts")
    .map(({ platform, held: covered, gaps }) => ({ name: platform, covered, gaps }));
  const { fromMs, toMs } = coverage;
  return [...drawTimelines(rows, { ...options, fromMs, toMs }), ...notes];
}

type ShownRecord = {
  Content: string;
  Metadata: {
    platform: string;
    created_at: string;
    username: string;
    author: string | null;
    url: string | null;
  };
};

function showRecord(json: string, terminal: Pick<Terminal, "colour" | "columns">): string {
  const { Content, Metadata } = JSON.parse(json) as ShownRecord;
  const { dim, bold, accent } = painter(terminal);
  const time = Metadata.created_at.slice(0, 16).replace("T", " ");
  const author = Metadata.author ? ` ${dim(oneLine(Metadata.author))}` : "";
  const head = `${dim(time)}  ${Metadata.platform}  ${bold(`@${oneLine(Metadata.username)}`)}${author}`;
  const text = wrap(stripControls(Content), terminal.columns - 2).map((line) => `  ${line}`);
  const url = Metadata.url ? [`  ${accent(oneLine(Metadata.url))}`] : [];
  return `${[head, ...text, ...url].join("\n")}\n\n`;
}

const oneLine = (text: string): string => stripControls(text).replaceAll("\n", " ");
