import fc from "fast-check";
import { expect, test } from "vitest";
import type { Platform } from "../../../posts/post.ts";
import { blueskyCarFormat } from "./bluesky-car.ts";
import { csvFormat } from "./csv.ts";
import type { ImportFormat } from "./format.ts";
import { createImportFolder } from "./import-folder.test-support.ts";
import { mastodonOutboxFormat } from "./mastodon-outbox.ts";
import { xApiFormat } from "./x-api.ts";
import { xArchiveFormat } from "./x-archive.ts";

const sampleValues = {
  id: ["20", "https://a.example/users/b/statuses/1"],
  id_str: ["20"],
  author_id: ["42"],
  type: ["Create", "Announce", "Note", "Hashtag", "Mention", "photo", "retweeted"],
  actor: ["https://a.example/users/b"],
  to: ["as:Public"],
  created_at: ["Tue May 29 10:11:12 +0000 2018", "2018-05-29T10:11:12Z"],
  published: ["2018-05-29T10:11:12Z"],
  full_text: ["RT @b: a", "a"],
  text: ["a"],
  content: ["<p>a</p>"],
  tweet: [],
  object: [],
  data: [],
  includes: [],
  users: [],
  tweets: [],
  media: [],
  entities: [],
  extended_entities: [],
  urls: [],
  url: ["https://a.example/"],
  expanded_url: ["https://x.com/b/status/21"],
  user_mentions: [],
  screen_name: ["b"],
  username: ["b"],
  hashtags: [],
  coordinates: [["1", "2"]],
  video_info: [],
  variants: [],
  favorite_count: ["3"],
  referenced_tweets: [],
  attachment: [],
  attachments: [],
  media_keys: [],
  mediaType: ["image/png"],
  name: ["#a", "@b@c.example"],
  tag: [],
  href: ["https://c.example/"],
  contentMap: [],
  oneOf: [],
  summary: ["a"],
  quote: ["https://a.example/1"],
  withheld: [],
} as const;

const names: readonly string[] = Object.keys(sampleValues);
const knownValue = fc.constantFrom(...Object.values(sampleValues).flat());
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthIdentifier: "value" },
    knownValue,
    fc.constantFrom(null, 0, -1, true, "", " ", "\u0000", "\ud800", 1e300),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 12 }),
  ),
}));

const formats: readonly [string, Platform, ImportFormat, (list: unknown) => string][] = [
  ["x-archive", "x", xArchiveFormat({ author: "a" }), (list) => JSON.stringify(list)],
  ["x-api", "x", xApiFormat, (data) => JSON.stringify({ data })],
  [
    "mastodon-outbox",
    "mastodon",
    mastodonOutboxFormat,
    (orderedItems) => JSON.stringify({ orderedItems }),
  ],
];

test.each(formats)(
  "an import in the format %s imports, skips or rejects each random record",
  async (...args) => {
    const [, platform, format, write] = args;
    const folder = createImportFolder();
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(value, { maxLength: 8 }), async (records) => {
          const batchCount = folder.archive.batches.length;
          const file = folder.file("rubbish.json", write(records));
          folder.archive.checkpoints.clear();
          const { rejected, skipped } = await folder.import(file, platform, format);
          const changes = folder.archive.batches
            .slice(batchCount)
            .flatMap((batch) => batch.changes);
          const skippedCount = [...skipped.values()].reduce((sum, count) => sum + count, 0);
          expect(changes.length + rejected + skippedCount).toBe(records.length);
        }),
        { numRuns: 200 },
      );
    } finally {
      folder.remove();
    }
  },
);

test.each([
  ["csv", "x", csvFormat({ platform: "x", columns: new Map(), author: "a" })],
  ["bluesky-car", "bluesky", blueskyCarFormat({ maxRepositoryBytes: 1_000, author: null })],
  ["x-archive", "x", xArchiveFormat({ author: "a" })],
  ["mastodon-outbox", "mastodon", mastodonOutboxFormat],
] as const)(
  "an import in the format %s reads random bytes to the end or rejects them",
  async (...args) => {
    const [, platform, format] = args;
    const starts = fc.constantFrom("", "PK\u0003\u0004", "\u001f\u008b", "created_at,text\n", "[{");
    const folder = createImportFolder();
    try {
      await fc.assert(
        fc.asyncProperty(starts, fc.uint8Array({ maxLength: 200 }), async (start, bytes) => {
          const file = folder.file("rubbish", Buffer.concat([Buffer.from(start, "latin1"), bytes]));
          const outcome = await folder.import(file, platform, format).catch((error) => error);
          if (!(outcome instanceof Error)) return;
          expect(outcome).toMatchObject({ code: "import_unreadable" });
        }),
        { numRuns: 150 },
      );
    } finally {
      folder.remove();
    }
  },
);
