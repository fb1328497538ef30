import type { Clock } from "../../lib/clock.ts";
import { startSlices } from "../../lib/slices.ts";
import { renderCsv } from "./csv.ts";
import { renderMarkdownAnswer } from "./markdown.ts";
import type { AnswerFormat } from "./negotiate.ts";
import { type AnswerPage, type AnswerPost, pageWarnings } from "./page.ts";
import { metadataText } from "./record.ts";
import { coverageBody, sourcesBody } from "./status-body.ts";

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

function* renderJson(page: AnswerPage) {
  const { job, result, posts, omitted, nextCursor } = page;
  const otherFields = {
    next_cursor: nextCursor,
    complete: result.complete,
    coverage: coverageBody(result.coverage),
    sources: sourcesBody(result.sources),
    warnings: pageWarnings(page),
    canonical_query: job.canonicalQuery,
    citations: posts.map(makeCitation),
    truncated: { shortened: shortenedIds(posts), omitted },
  };
  yield `{"uuid":${JSON.stringify(job.uuid)},"status":"${job.state}","results":[`;
  for (const [index, { json }] of posts.entries()) yield index === 0 ? json : `,${json}`;
  yield `],${JSON.stringify(otherFields).slice(1)}`;
}

function* renderNdjson({ posts }: AnswerPage) {
  for (const { json } of posts) yield `${json}\n`;
}

function makeCitation({ record }: AnswerPost) {
  return {
    id: record.ID,
    url: metadataText(record, "url"),
    author: metadataText(record, "username"),
    created_at: metadataText(record, "created_at"),
  };
}

function shortenedIds(posts: readonly AnswerPost[]): string[] {
  return posts.filter((post) => post.shortenedFrom !== null).map(({ record }) => record.ID);
}
