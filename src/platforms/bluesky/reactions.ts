import type { CountMetric } from "@earshot/query/tree";
import type { PostCounts } from "../../posts/post.ts";
import { asFields } from "../fields.ts";
import { parseAtUri } from "./at-uri.ts";
import type { StreamCollection } from "./collections.ts";
import { postCollection } from "./post.ts";

export type CountedPost = { uri: string; metric: CountMetric };

export function readReactions(metric: "likes" | "reposts", record: unknown): CountedPost[] {
  const { uri } = asFields(asFields(record).subject);
  if (typeof uri !== "string" || parseAtUri(uri)?.collection !== postCollection) return [];
  return [{ uri, metric }];
}

/** A count is null if its collection is not followed. */
export function newPostCounts(collections: ReadonlySet<StreamCollection>): PostCounts {
  const zeroOf = (collection: StreamCollection): number | null =>
    collections.has(collection) ? 0 : null;
  return {
    likes: zeroOf("likes"),
    reposts: zeroOf("reposts"),
    replies: zeroOf("posts"),
    quotes: zeroOf("posts"),
  };
}
