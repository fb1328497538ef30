import { type AnswerPage, type AnswerPost, pageWarnings } from "./page.ts";
import { metadataText } from "./record.ts";
import { coverageBody, sourcesBody } from "./status-body.ts";

export function* renderJson(page: AnswerPage) {
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

export function* renderNdjson({ posts }: AnswerPage) {
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
