import type { PostCounts } from "../../posts/post.ts";
import type { CountMetric } from "../../query/tree.ts";
import { fieldsOf } from "../fields.ts";
import { parseAtUri } from "./at-uri.ts";
import type { FollowedWord } from "./collections.ts";
import { postCollection } from "./post.ts";

/** A post that got one more of something. */
export type CountedPost = { uri: string; metric: CountMetric };

/** The post that a like or a repost is of; none where it is of something else, such as a feed or a list. */
export function reactionsOf(metric: "likes" | "reposts", record: unknown): CountedPost[] {
  const { uri } = fieldsOf(fieldsOf(record).subject);
  if (typeof uri !== "string" || parseAtUri(uri)?.collection !== postCollection) return [];
  return [{ uri, metric }];
}

/** Nobody has answered a post at the moment it is made: zero of what is followed, unknown what is not. */
export function countsOfNewPost(followed: ReadonlySet<FollowedWord>): PostCounts {
  const zeroOf = (word: FollowedWord): number | null => (followed.has(word) ? 0 : null);
  return {
    likes: zeroOf("likes"),
    reposts: zeroOf("reposts"),
    replies: zeroOf("posts"),
    quotes: zeroOf("posts"),
  };
}
