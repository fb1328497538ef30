import { uriNumber } from "../../src/posts/ids.ts";

const candidates = 100_000;

export function collidingUris(): string[] {
  const uris = Array.from(
    { length: candidates },
    (_, n) => `at://did:plc:author/app.bsky.feed.post/c${n}`,
  );
  const byNumber = Map.groupBy(uris, uriNumber);
  return [...byNumber.values()].filter((group) => group.length > 1).flat();
}
