import { type AnswerPage, type AnswerPost, warningsOf } from "./page.ts";
import { textOf } from "./record.ts";
import { coverageBody } from "./status-body.ts";

/** An answer as one JSON object, in pieces; the posts are the texts that they are. */
export function* jsonOf(page: AnswerPage) {
  const { job, result, posts, omitted, nextCursor } = page;
  const rest = {
    next_cursor: nextCursor,
    complete: result.complete,
    coverage: coverageBody(result.coverage),
    warnings: warningsOf(page),
    canonical_query: job.canonicalQuery,
    citations: posts.map(citationOf),
    truncated: { shortened: shortenedIds(posts), omitted },
  };
  yield `{"uuid":"${job.uuid}","status":"${job.state}","results":[`;
  for (const [index, { json }] of posts.entries()) yield index === 0 ? json : `,${json}`;
  yield `],${JSON.stringify(rest).slice(1)}`;
}

/** The records alone, one a line. */
export function* ndjsonOf({ posts }: AnswerPage) {
  for (const { json } of posts) yield `${json}\n`;
}

/** Where a post can be read and whose it is, whatever fields of it were asked for. */
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
