import { uriNumber } from "../../src/posts/ids.ts";

/** So many uris that some share a number with one other, and a few with two. */
const tried = 100_000;

/** Uris of Bluesky posts that share the number of at least one other. */
export function collidingUris(): string[] {
  const uris = Array.from(
    { length: tried },
    (_, n) => `at://did:plc:author/app.bsky.feed.post/c${n}`,
  );
  const byNumber = Map.groupBy(uris, uriNumber);
  return [...byNumber.values()].filter((group) => group.length > 1).flat();
}
