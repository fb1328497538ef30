import { all } from "@earshot/query/plan";
import { hasTime, idTimeMs, postTimeMs } from "../../src/posts/ids.ts";
import type { Post } from "../../src/posts/post.ts";
import type { OracleContext, OraclePost } from "../../test/oracle/oracle.ts";
import type { SmallArchive } from "../archives/small-archive.ts";
import { capMs } from "./post-set.ts";

/** Posts as in API output, plus mention ids and the compared time. */
export function oraclePosts(archive: SmallArchive, posts: readonly Post[]): OraclePost[] {
  const byUri = new Map(posts.map((post) => [post.uri, post]));
  const { positions } = archive.search({ plan: all([]), limit: posts.length });
  return archive.reader.operations.records(positions).records.map((text) => {
    const record: OraclePost = JSON.parse(text);
    const post = byUri.get(record.Metadata.uri);
    if (post === undefined) throw new Error(`no post with the uri ${record.Metadata.uri}`);
    return {
      ...record,
      mention_ids: post.mentions.map(({ userId }) => userId),
      time_ms: postTimeMs(post, capMs),
    };
  });
}

/** Includes the names of all authors. */
export function oracleContext(
  posts: readonly Post[],
  storedPosts: readonly OraclePost[],
  asOfMs: number,
): OracleContext {
  const authors = posts
    .filter(({ username }) => username !== "")
    .map(({ platform, userId, username }) => ({ platform, user_id: userId, handle: username }));
  return { asOfMs, authors, posts: [...storedPosts] };
}

/** The ID encodes the time. */
export function oraclePostOnX(text: string): OraclePost {
  const record: OraclePost = JSON.parse(text);
  const id = BigInt(record.ID);
  const createdMs = Date.parse(record.Metadata.created_at);
  const seenMs = hasTime(id) ? idTimeMs(id) : null;
  return {
    ...record,
    mention_ids: record.Metadata.mentions.map(() => null),
    time_ms: postTimeMs({ createdMs, seenMs }, capMs),
  };
}
