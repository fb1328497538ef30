import { type AnswerPage, type AnswerPost, warningsOf } from "./page.ts";
import { textOf } from "./record.ts";
import { coverageBody, sourcesBody } from "./status-body.ts";

export function* jsonOf(page: AnswerPage) {
  const { job, result, posts, omitted, nextCursor } = page;
  const otherFields = {
    next_cursor: nextCursor,
    complete: result.complete,
    coverage: coverageBody(result.coverage),
    sources: sourcesBody(result.sources),
    warnings: warningsOf(page),
    canonical_query: job.canonicalQuery,
    citations: posts.map(citationOf),
    truncated: { shortened: shortenedIds(posts), omitted },
  };
  yield `{"uuid":${JSON.stringify(job.uuid)},"status":"${job.state}","results":[`;
  for (const [index, { json }] of posts.entries()) yield index === 0 ? json : `,${json}`;
  yield `],${JSON.stringify(otherFields).slice(1)}`;
}

export function* ndjsonOf({ posts }: AnswerPage) {
  for (const { json } of posts) yield `${json}\n`;
}

function citationOf({ record }: AnswerPost) {
  return {
    id: record.ID,
    url: textOf(record, "url"),
    author: textOf(record, "username"),
    created_at: textOf(record, "created_at"),
  };
}

function shortenedIds(posts: readonly AnswerPost[]): string[] {
  return posts.filter((post) => post.shortenedFrom !== null).map(({ record }) => record.ID);
}
