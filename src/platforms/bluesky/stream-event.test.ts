import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { streamCollections } from "./collections.ts";
import { readStreamEvent } from "./stream-event.ts";

const did = "did:plc:dclwtltrt2ggsryagfzk7dp4";
const otherDid = "did:plc:z4tknqutdjexaohajbum43vf";
const timeUs = 1_783_175_888_090_631;
const observedMs = 1_783_175_888_090;
const commit = {
  rev: "3mptbypcq372f",
  operation: "create",
  collection: "app.bsky.feed.post",
  rkey: "3mptbyoeyc22k",
  record: { text: "hello" },
};
const uri = `at://${did}/app.bsky.feed.post/3mptbyoeyc22k`;
const otherUri = (rkey: string) => `at://${otherDid}/app.bsky.feed.post/${rkey}`;
const allCollections = new Set(streamCollections);
const readEvent = (event: object, followed = allCollections) =>
  readStreamEvent(JSON.stringify({ did, time_us: timeUs, ...event }), followed);
const readCommit = (part: object, followed = allCollections) =>
  readEvent({ kind: "commit", commit: { ...commit, ...part } }, followed);

describe("a stream event", () => {
  test("a stream event can be a post, an edit or a deletion", () => {
    for (const operation of ["create", "update"]) {
      expect(readCommit({ operation })).toMatchObject({
        timeUs,
        change: { kind: "upsert", post: { text: "hello", seenMs: observedMs } },
      });
    }
    expect(readCommit({ operation: "delete", record: undefined })).toMatchObject({
      change: { kind: "delete", uri, revision: "3mptbypcq372f" },
    });
  });

  test("a stream event can set a handle, or name an account whose handle may have changed", () => {
    const identity = { did, handle: "alice.example", seq: 1, time: "2023-01-01T00:00:00Z" };
    expect(readEvent({ kind: "identity", identity })).toMatchObject({
      change: { kind: "handle", userId: did, handle: "alice.example", observedMs },
      accountToRefresh: null,
    });
    expect(readEvent({ kind: "identity", identity: { did } })).toMatchObject({
      change: null,
      accountToRefresh: did,
    });
  });

  test.each([
    [{ active: true }, "active"],
    [{ active: true, status: "desynchronized" }, "active"],
    [{ active: false, status: "takendown" }, "takendown"],
    [{ active: false, status: "suspended" }, "suspended"],
    [{ active: false, status: "deleted" }, "deleted"],
    [{ active: false, status: "deactivated" }, "deactivated"],
    [{ active: false, status: "throttled" }, "inactive"],
    [{ active: false, status: { toString: "deleted" } }, "inactive"],
    [{ active: false }, "inactive"],
  ])("a stream event can be the state of an account: %j is %s", (account, status) => {
    expect(readEvent({ kind: "account", account })).toMatchObject({
      change: { kind: "account", platform: "bluesky", userId: did, status, observedMs },
    });
  });

  test("a stream event can be a profile, or the deletion of one", () => {
    const profile = { collection: "app.bsky.actor.profile", rkey: "self" };
    const values = [{ val: "!no-unauthenticated" }, { val: "porn" }, { val: "porn" }, { val: 1 }];
    const record = { displayName: " Alice ", labels: { values } };
    for (const operation of ["create", "update"]) {
      expect(readCommit({ ...profile, operation, record })).toMatchObject({
        change: {
          kind: "profile",
          userId: did,
          name: "Alice",
          labels: ["!no-unauthenticated", "porn"],
          observedMs,
        },
        counted: [],
      });
    }
    expect(readCommit({ ...profile, operation: "delete" })).toMatchObject({
      change: { kind: "profile", name: null, labels: [] },
    });
    expect(readCommit({ ...profile, rkey: "other", record })).toMatchObject({ change: null });
  });
});

describe("counts", () => {
  const readLike = (subject: unknown, operation = "create") =>
    readCommit({ collection: "app.bsky.feed.like", operation, record: { subject } });

  test("a new like or repost adds one to its post's count, and an edit or deletion adds nothing", () => {
    expect(readLike({ uri: otherUri("a") })).toMatchObject({
      change: null,
      counted: [{ uri: otherUri("a"), metric: "likes" }],
    });
    const record = { subject: { uri: otherUri("a") } };
    expect(readCommit({ collection: "app.bsky.feed.repost", record })).toMatchObject({
      counted: [{ uri: otherUri("a"), metric: "reposts" }],
    });
    for (const operation of ["update", "delete"]) {
      expect(readLike({ uri: otherUri("a") }, operation)).toMatchObject({ counted: [] });
    }
  });

  test.each([
    { uri: `at://${otherDid}/app.bsky.feed.generator/feed` },
    { uri: `at://${otherDid}/app.bsky.feed.post` },
    { uri: "at://alice.example/app.bsky.feed.post/a" },
    { uri: 1 },
    null,
  ])("a like of anything but a post changes no count: %j", (subject) => {
    expect(readLike(subject)).toMatchObject({ change: null, counted: [] });
  });

  const replyWithQuote = {
    text: "hello",
    reply: { root: { uri: otherUri("root") }, parent: { uri: otherUri("parent") } },
    embed: { $type: "app.bsky.embed.record", record: { uri: otherUri("quoted") } },
  };

  test("a new post counts as a reply to its parent and a quote of the quoted post, but an edit does not", () => {
    expect(readCommit({ record: replyWithQuote })).toMatchObject({
      counted: [
        { uri: otherUri("parent"), metric: "replies" },
        { uri: otherUri("quoted"), metric: "quotes" },
      ],
    });
    expect(readCommit({ operation: "update", record: replyWithQuote })).toMatchObject({
      counted: [],
    });
  });

  test("a new post's counts are zero for followed collections, and an edit's are unknown", () => {
    const counts = (event: object) =>
      (event as { change: { post: { counts: object } } }).change.post.counts;
    expect(counts(readCommit({}))).toEqual({
      likes: 0,
      reposts: 0,
      replies: 0,
      quotes: 0,
    });
    expect(counts(readCommit({}, new Set(["posts", "reposts"])))).toEqual({
      likes: null,
      reposts: 0,
      replies: 0,
      quotes: 0,
    });
    expect(counts(readCommit({ operation: "update" }))).toEqual({
      likes: null,
      reposts: null,
      replies: null,
      quotes: null,
    });
  });
});

test.each([
  { kind: "identity", identity: { did, handle: "handle.invalid" } },
  { kind: "account", account: {} },
  { kind: "account", account: { active: "no" } },
  { kind: "commit", commit: { ...commit, collection: "app.bsky.graph.follow" } },
  { kind: "sync", sync: { did, rev: "3mptbypcq372f" } },
  { kind: "something new" },
])("an event without usable content only advances the stream time: %j", (event) => {
  expect(readEvent(event)).toMatchObject({
    timeUs,
    change: null,
    counted: [],
    accountToRefresh: null,
  });
});

test("an event in an unfollowed collection only advances the stream time", () => {
  const record = { subject: { uri: otherUri("a") } };
  const like = { collection: "app.bsky.feed.like", record };
  expect(readCommit(like, new Set(["posts"]))).toMatchObject({ timeUs, change: null, counted: [] });
  expect(readCommit({}, new Set(["likes"]))).toMatchObject({ timeUs, change: null, counted: [] });
});

test("a commit has the same key on every server, regardless of its time there", () => {
  const eventKey = (event: object) => ("key" in event ? event.key : null);
  expect(eventKey(readCommit({}))).toBe(
    eventKey(readEvent({ kind: "commit", time_us: timeUs + 5, commit: { ...commit, cid: "x" } })),
  );
  for (const part of [{ rkey: "b" }, { rev: "3mptbypcq372g" }, { operation: "update" }]) {
    expect(eventKey(readCommit(part))).not.toBe(eventKey(readCommit({})));
  }
});

test.each([
  ["invalid JSON", "{"],
  ["JSON that is not an object", "[]"],
  ["no account", JSON.stringify({ time_us: timeUs, kind: "commit", commit })],
  [
    "a time that is a sequence number",
    JSON.stringify({ did, time_us: 17, kind: "commit", commit }),
  ],
  [
    "no record",
    JSON.stringify({ did, time_us: timeUs, kind: "commit", commit: { ...commit, record: null } }),
  ],
  [
    "an invalid record key",
    JSON.stringify({ did, time_us: timeUs, kind: "commit", commit: { ...commit, rkey: "a/b" } }),
  ],
  [
    "an invalid operation",
    JSON.stringify({ did, time_us: timeUs, kind: "commit", commit: { ...commit, operation: "x" } }),
  ],
])("a stream event with %s is unreadable", (_what, frame) => {
  expect(readStreamEvent(frame, allCollections)).toHaveProperty("reason");
});

describe("any input", () => {
  const words = [
    ...[did, uri, timeUs, "commit", "identity", "account", "create", "update", "delete", true],
    ...["app.bsky.feed.post", "app.bsky.feed.like", "app.bsky.actor.profile", "self", "toString"],
  ];
  const names = [
    ...["did", "time_us", "kind", "commit", "identity", "account", "rev", "operation", "rkey"],
    ...["collection", "record", "subject", "uri", "reply", "parent", "embed", "labels", "values"],
    ...["val", "active", "status", "handle", "displayName", "$type", "__proto__", "constructor"],
  ];
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: "small" }, fc.constantFrom(...words), fc.jsonValue(), tie("map")),
    map: fc.dictionary(fc.constantFrom(...names), tie("any")),
  }));
  const event = fc
    .record({ kind: fc.constantFrom("commit", "identity", "account"), body: value.map })
    .map(({ kind, body }) => ({
      did,
      time_us: timeUs,
      kind,
      [kind]: { ...commit, ...(body as object) },
    }));

  test("reading an event never throws", () => {
    const frame = fc.oneof(
      fc.string(),
      event.map((one) => JSON.stringify(one)),
    );
    fc.assert(
      fc.property(frame, (text) => {
        expect(readStreamEvent(text, allCollections)).toBeTypeOf("object");
      }),
      { numRuns: 2_000 },
    );
  });

  test("an event adds to the counts of at most two posts and of nothing else", () => {
    fc.assert(
      fc.property(event, (one) => {
        const result = readStreamEvent(JSON.stringify(one), allCollections);
        if ("reason" in result) return;
        expect(result.counted.length).toBeLessThanOrEqual(2);
        for (const { uri: countedUri } of result.counted) {
          expect(countedUri).toMatch(/^at:\/\/did:[^/]+\/app\.bsky\.feed\.post\/[^/]+$/);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

test("an event with too many field names is unreadable", () => {
  const names = Array.from({ length: 20_000 }, (_, n) => [`n${n}`, 1]);
  const record = { text: "hello", ...Object.fromEntries(names) };
  expect(readCommit({ record })).toMatchObject({
    reason: expect.stringContaining("more than 5000 different names"),
  });
});
