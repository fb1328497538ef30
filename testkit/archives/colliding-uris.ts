import { uriNumber } from "../../src/posts/ids.ts";

/** Enough uris that some hash to the same ID. */
const tried = 100_000;

/** Bluesky uris whose ID collides with that of at least one other. */
export function collidingUris(): string[] {
  const uris = Array.from(
    { length: tried },
    (_, n) => `at://did:plc:author/app.bsky.feed.post/c${n}`,
  );
  const byNumber = Map.groupBy(uris, uriNumber);
  return [...byNumber.values()].filter((group) => group.length > 1).flat();
}
