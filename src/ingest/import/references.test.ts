import fc from "fast-check";
import { expect, test } from "vitest";
import { smallArchive } from "../../../testkit/archives/small-archive.ts";
import { testRuns } from "../../../testkit/seed.ts";
import { xUri } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { readImportRecord, toPost } from "./record.ts";

type DrawnPost = {
  form: "id" | "uri" | "neither";
  relations: {
    field: keyof typeof referenceFields;
    target: number;
    form: "id" | "uri" | "address";
  }[];
};

const referenceFields = {
  in_reply_to_id: { shown: "in_reply_to", operator: "in_reply_to" },
  quote_of_id: { shown: "quoted", operator: "quoted" },
  repost_of_id: { shown: "reposted", operator: "retweets_of_tweet_id" },
  conversation_id: { shown: "conversation_id", operator: "conversation_id" },
} as const;

const did = "did:plc:author";
const numberOf = (index: number) => `11579392276530462${70 + index}`;
const author = (platform: Platform) => (platform === "mastodon" ? "ann@one.example" : "ann");

function makeUri(platform: Platform, index: number): string {
  if (platform === "x") return `https://x.com/ann/status/${numberOf(index)}`;
  if (platform === "bluesky") return `at://${did}/app.bsky.feed.post/3k${index}`;
  return `https://one.example/users/ann/statuses/${index}`;
}

function formatAddress(platform: Platform, index: number): string {
  return platform === "bluesky"
    ? `https://bsky.app/profile/${did}/post/3k${index}`
    : makeUri(platform, index);
}

function formatName(platform: Platform, index: number, form: "id" | "uri" | "address"): string {
  if (platform === "x" || form === "id") return numberOf(index);
  return form === "uri" ? makeUri(platform, index) : formatAddress(platform, index);
}

function getImport(platform: Platform, { form, relations }: DrawnPost, index: number) {
  const own = form === "id" ? { id: numberOf(index) } : { uri: makeUri(platform, index) };
  const others = relations.map(({ field, target, form: other }) => [
    field,
    formatName(platform, target, other),
  ]);
  const record = {
    author: author(platform),
    created_at: "2026-01-01T00:00:00Z",
    text: `post ${index}`,
    ...(form === "neither" ? {} : own),
    ...Object.fromEntries(others),
  };
  return toPost(readImportRecord(record), platform, Date.UTC(2030, 0, 1));
}

const postsPerRun = 6;
const drawnPost: fc.Arbitrary<DrawnPost> = fc.record({
  form: fc.constantFrom("id", "uri", "neither"),
  relations: fc.array(
    fc.record({
      field: fc.constantFrom("in_reply_to_id", "quote_of_id", "repost_of_id", "conversation_id"),
      target: fc.integer({ min: 0, max: postsPerRun - 1 }),
      form: fc.constantFrom("id", "uri", "address"),
    }),
    { maxLength: 3 },
  ),
});

test("a search finds an imported post by its references to another, and by that post's ID if archived", () => {
  // The mean needs at least 20 runs.
  const runs = Math.max(20, testRuns(20));
  let byStored = 0;
  fc.assert(
    fc.property(
      fc.constantFrom<Platform>("bluesky", "mastodon", "x"),
      fc.array(drawnPost, { minLength: postsPerRun, maxLength: postsPerRun }),
      (platform, drawnPosts) => {
        const archive = smallArchive(3);
        try {
          archive.put(...drawnPosts.map((post, index) => getImport(platform, post, index)));
          const records = archive.records(archive.search({ plan: { kind: "all" } }).positions);
          const byUri = new Map(records.map((record) => [record.Metadata.uri, record]));
          for (const { ID, Metadata } of records) {
            for (const { shown, operator } of Object.values(referenceFields)) {
              const other = Metadata[shown];
              if (other === null) continue;
              const { id, uri } = typeof other === "string" ? { id: other, uri: null } : other;
              const stored = byUri.get(uri ?? (platform === "x" ? xUri(id ?? "") : (id ?? "")));
              if (stored !== undefined) byStored += 1;
              for (const name of [id, uri, stored?.ID]) {
                if (name === null || name === undefined) continue;
                const ids = archive
                  .records(archive.query(`${operator}:"${name}"`).positions)
                  .map((record) => record.ID);
                expect(ids, `${operator}:"${name}"`).toContain(ID);
              }
            }
          }
        } finally {
          archive.remove();
        }
      },
    ),
    { numRuns: runs },
  );
  expect(byStored / runs).toBeGreaterThan(1.67);
});
