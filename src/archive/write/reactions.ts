import type { Platform } from "../../posts/post.ts";
import { recordOrigin } from "../../posts/record.ts";
import type { DecodedPost } from "../segments/stored-posts.ts";
import type { CountChanges } from "./count-changes.ts";

/**
 * Subtracts a removed reply or quote from its target's counts. Only streamed reactions were counted
 * one by one; other sources report totals.
 */
export function subtractReactions(
  { counts }: { counts: CountChanges },
  platform: Platform,
  removed: DecodedPost | null,
): void {
  if (removed === null || recordOrigin(removed.record) !== "stream") return;
  const { inReplyTo, quoted } = removed.post;
  if (inReplyTo?.uri)
    counts.collect({ platform, uri: inReplyTo.uri, metric: "replies", increment: -1 });
  if (quoted?.uri) counts.collect({ platform, uri: quoted.uri, metric: "quotes", increment: -1 });
}
