import { afterEach, beforeEach, expect, test } from "vitest";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { type Platform, platforms } from "../../posts/post.ts";

let archive: SmallArchive;
beforeEach(() => {
  archive = smallArchive();
});
afterEach(() => archive.remove());

const at = (text: string): number => Date.parse(text);

function put(platform: Platform, key: string, time: string): void {
  archive.put(makePost({ platform, uri: `import:${platform}:${key}`, createdMs: at(time) }));
}

const getSpan = (platform: Platform) => {
  const { segments } = archive.reader.operations.stats({ maxBytes: 0 });
  const [segment] = segments.filter((other) => other.platform === platform);
  return segment && { posts: segment.posts, fromMs: segment.fromMs, toMs: segment.toMs };
};

test.each(platforms)(
  "a segment's span includes posts of %s from before IDs had times",
  (platform) => {
    put(platform, "a", "2006-03-21T20:50:14Z");
    put(platform, "b", "2008-07-01T00:00:00Z");
    put(platform, "c", "2007-01-01T00:00:00Z");
    const [fromMs, last] = [at("2006-03-21T20:50:14Z"), at("2008-07-01T00:00:00Z")];
    expect(getSpan(platform)).toEqual({ posts: 3, fromMs, toMs: last });
  },
);

test("a segment's span includes posts with and without a time in their ID", () => {
  put("bluesky", "a", "2009-01-01T00:00:00Z");
  put("bluesky", "b", "2020-01-01T00:00:00Z");
  expect(getSpan("bluesky")).toEqual({
    posts: 2,
    fromMs: at("2009-01-01T00:00:00Z"),
    toMs: at("2020-01-01T00:00:00Z"),
  });
});

test("the span of early X posts extends from the lowest ID to the highest", () => {
  const numbered = (nativeId: bigint, time: string) =>
    archive.put(makePost({ platform: "x", nativeId, createdMs: at(time) }));
  numbered(1_500_000_000n, "2009-04-12T00:00:00Z");
  numbered(20n, "2006-03-21T20:50:14Z");
  numbered(29_000_000_000n, "2010-10-29T00:00:00Z");
  expect(getSpan("x")).toEqual({
    posts: 3,
    fromMs: at("2006-03-21T20:50:14Z"),
    toMs: at("2010-10-29T00:00:00Z"),
  });
});
