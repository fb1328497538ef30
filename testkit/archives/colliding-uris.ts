import { uriNumber } from "../../src/posts/ids.ts";

const uriCount = 100_000;

export function collidingUris(): string[] {
  const uris = Array.from(
    { length: uriCount },
    (_, n) => `at://did:plc:author/app.bsky.feed.post/c${n}`,
  );
  const byNumber = Map.groupBy(uris, uriNumber);
  return [...byNumber.values()].filter((group) => group.length > 1).flat();
}
