import { parseQuery } from "@earshot/query";
import { describe, expect, test } from "vitest";
import { lowestId } from "../../posts/ids.ts";
import { couldMatch } from "./could-match.ts";
import { readRecord } from "./read-record.ts";

const createdMs = Date.UTC(2026, 0, 31, 12);
const asOfMs = createdMs + 60_000;
const id = lowestId(createdMs);
const uri = "at://did:plc:ann/app.bsky.feed.post/3k";

const recordMetadata = {
  created_at: "2026-01-31T12:00:00Z",
  username: "ann.example",
  langs: ["en"],
  mentions: ["bob.example"],
  urls: ["https://example.com/a"],
  in_reply_to: { id: null, uri: "at://x", username: "cy.example", user_id: "did:plc:cy" },
  is_reply: true,
  labels: ["nudity"],
  public_metrics: { like_count: 999, retweet_count: null, reply_count: 0, quote_count: 0 },
};

function decide(query: string, metadata: object = recordMetadata): boolean {
  const fullMetadata = { platform: "bluesky", uri, user_id: "did:plc:ann", ...metadata };
  const record = { ID: String(id), Content: "a bright comet", Metadata: fullMetadata, Score: 1 };
  return couldMatch(parseQuery(query).tree, asOfMs, id, readRecord(JSON.stringify(record)));
}

describe("a record that contradicts the query is refused:", () => {
  test.each([
    "zebra",
    "-comet",
    "comet -bright",
    '"comet bright"',
    "lang:de",
    "min_faves:1000",
    "min_retweets:1",
    "-filter:replies",
    "filter:images",
    "filter:safe",
    "url:example.org",
    "#comet",
    "since:2026-02-01",
    "until:2026-01-31",
    "within_time:30s",
    `since_id:${id}`,
    `max_id:${id - 1n}`,
    "platform:x",
    "geocode:50.0,14.4,10km",
    "from:did:plc:bob",
    "to:did:plc:bob",
    "-from:ann.example",
    "-@bob.example",
    "quoted_user_id:nasa",
    "retweets_of:nasa",
    "filter:self_threads",
    "zebra OR lang:de",
    "(comet lang:de) OR zebra from:bob.example",
  ])("a record that contradicts the query is refused: %s", (query) => {
    expect(decide(query)).toBe(false);
  });
});

describe("a record that may match is accepted:", () => {
  test.each([
    "comet",
    "bright comet lang:en",
    "min_faves:999",
    "filter:replies filter:links",
    "label:nudity",
    "url:example.com",
    "since:2026-01-31 until:2026-02-01 within_time:1m",
    `since_id:${id - 1n} max_id:${id}`,
    "from:ann.example",
    "from:did:plc:ann",
    "@bob.example to:cy.example to:did:plc:cy",
    // Ann may have had another handle; any post may be in a conversation.
    "from:formerly.example",
    "-from:formerly.example",
    "to:formerly.example",
    "@formerly.example",
    "conversation_id:20",
    "in_reply_to_tweet_id:20",
    "zebra OR from:formerly.example",
  ])("a record that may match is accepted: %s", (query) => {
    expect(decide(query)).toBe(true);
  });
});

test("a post whose claimed time is after that of its ID can have any time in between", () => {
  const lateMetadata = { ...recordMetadata, created_at: "2026-03-01T00:00:00Z" };
  expect(decide("since:2026-02-10", lateMetadata)).toBe(true);
  expect(decide("until:2026-02-10", lateMetadata)).toBe(true);
  expect(decide("since:2026-03-02", lateMetadata)).toBe(false);
  expect(decide("until:2026-01-31", lateMetadata)).toBe(false);
});

test("a post reduced to its IDs is checked only by IDs, times and platform", () => {
  const reducedMetadata = { kind: "ids", langs: [] };
  for (const query of ["zebra", "-comet", "lang:de", "filter:safe", "min_faves:1000"]) {
    expect(decide(query, reducedMetadata)).toBe(true);
  }
  expect(decide("since:2026-02-01", reducedMetadata)).toBe(false);
  expect(decide(`since_id:${id}`, reducedMetadata)).toBe(false);
  expect(decide("platform:x", reducedMetadata)).toBe(false);
});
