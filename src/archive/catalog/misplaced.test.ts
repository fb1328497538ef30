import { afterEach, expect, test } from "vitest";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { openCatalog } from "./open-catalog.ts";

const key = "3mptbyoeyc22k";
const reportedMs = Date.UTC(2026, 6, 4, 14, 38);
const uri = `at://did:plc:author/app.bsky.feed.post/${key}`;
let archive: SmallArchive;
afterEach(() => archive.remove());

function fill(): void {
  archive = smallArchive(10);
  archive.put(
    ...Array.from({ length: 365 }, (_, n) =>
      makePost({ key: `day-${n}`, createdMs: Date.UTC(2026, 0, 1) + n * 86_400_000 }),
    ),
  );
}

const post = (createdMs: number, overrides: Parameters<typeof makePost>[0] = {}) =>
  makePost({ key, createdMs, seenMs: reportedMs, origin: "stream", text: "harbour", ...overrides });

const foundTexts = (): string[] =>
  archive.records(archive.query("harbour OR edited").positions).map(({ Content }) => Content);

function misplacedCount(): number {
  const catalog = openCatalog(archive.folder);
  const row = catalog.prepare("SELECT count(*) AS rows FROM misplaced").get();
  catalog.close();
  return Number(row?.rows);
}

test.each([
  ["the time in its uri", reportedMs, 0],
  ["months before the time in its uri", Date.UTC(2026, 0, 20), 1],
  ["years before IDs contained a time", Date.UTC(2009, 0, 1), 1],
])("an edit and a deletion find a post whose date is %s", (_name, createdMs, listed) => {
  fill();
  archive.put(post(createdMs, { revision: "3mptbyoeyc22k" }));
  expect(misplacedCount()).toBe(listed);
  archive.put(post(Date.UTC(2026, 4, 1), { revision: "3mptbyoeyc22l", text: "edited" }));
  expect(foundTexts()).toEqual(["edited"]);
  archive.write([{ kind: "delete", platform: "bluesky", uri, revision: "3mptbyoeyc22m" }]);
  expect(foundTexts()).toEqual([]);
  expect(misplacedCount()).toBe(0);
});

test("likes are added to a misplaced post", () => {
  fill();
  archive.put(post(Date.UTC(2026, 0, 20)));
  archive.write([{ kind: "count", platform: "bluesky", uri, metric: "likes", increment: 3 }]);
  archive.addCounts();
  expect(archive.query("min_faves:3").positions).toHaveLength(1);
});
