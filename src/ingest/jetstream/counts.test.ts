import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  createMemoryArchive,
  type MemoryArchive,
} from "../../../testkit/archives/memory-archive.ts";
import {
  commit,
  did,
  type Event,
  type FakeJetstream,
  postUri,
  reaction,
  secondUs,
  startFakeJetstream,
  startTestStream,
  startUs,
} from "../../../testkit/upstreams/fake-jetstream.ts";
import type { Jetstream } from "./jetstream.ts";
import type { JetstreamSettings } from "./settings.ts";

let server: FakeJetstream;
let other: FakeJetstream;
let archive: MemoryArchive;
let ingest: Jetstream | null = null;

const start = (settings: Partial<JetstreamSettings> = {}): Jetstream => {
  ingest = startTestStream({ archive }, { urls: [server.url], ...settings });
  return ingest;
};
const cut = (target = server) => {
  for (const socket of target.sockets) socket.terminate();
};
const likes = (rkey = "a") => archive.counts.get(`likes ${postUri(rkey)}`) ?? 0;
const like = (second: number, rkey = `like${second}`) =>
  reaction(startUs + second * secondUs, rkey, postUri("a"));

const event = (atUs: number, kind: string, body: object): Event =>
  ({ did, time_us: atUs, kind, [kind]: body }) as Event;

beforeEach(async () => {
  server = await startFakeJetstream();
  other = await startFakeJetstream();
  archive = createMemoryArchive();
});
afterEach(async () => {
  await ingest?.stop();
  ingest = null;
  await server.close();
  await other.close();
});

test("likes, reposts, replies and quotes are counted, and deletions are not subtracted", async () => {
  const post = postUri("a");
  const reply = commit(startUs + 6, "reply") as Event & { commit: { record: object } };
  reply.commit.record = {
    text: "reply",
    reply: { root: { uri: post }, parent: { uri: post } },
    embed: { $type: "app.bsky.embed.record", record: { uri: post } },
  };
  server.events.push(
    commit(startUs, "a"),
    reaction(startUs + 1, "one", post),
    reaction(startUs + 2, "two", post),
    reaction(startUs + 3, "two", post, "app.bsky.feed.like", "delete"),
    reaction(startUs + 4, "three", post, "app.bsky.feed.repost"),
    reaction(startUs + 5, "list", `at://${did}/app.bsky.feed.generator/x`),
    reply,
  );
  const { state } = start();
  await archive.waitUntil(() => archive.posts.size === 2);
  expect(Object.fromEntries(archive.counts)).toEqual({
    [`likes ${post}`]: 2,
    [`reposts ${post}`]: 1,
    [`replies ${post}`]: 1,
    [`quotes ${post}`]: 1,
  });
  expect(state().counted).toEqual({ likes: 2, reposts: 1, replies: 1, quotes: 1 });
});

test("many likes of one post are merged into one change per batch", async () => {
  server.events = Array.from({ length: 5_000 }, (_unused, n) =>
    reaction(startUs + n, `like${n}`, postUri(n % 2 === 0 ? "a" : "b")),
  );
  start({ quietBatchMs: 60_000, batchEvents: 5_000 });
  await archive.waitUntil(() => likes() === 2_500);
  expect(archive.batches.map(({ changes }) => changes)).toEqual([
    [
      { kind: "count", platform: "bluesky", uri: postUri("a"), metric: "likes", increment: 2_500 },
      { kind: "count", platform: "bluesky", uri: postUri("b"), metric: "likes", increment: 2_500 },
    ],
  ]);
});

test("a post does not wait for the likes before it, and likes without posts wait longer", async () => {
  server.events.push(like(0), like(1));
  const { state } = start({ batchMs: 1, quietBatchMs: 3_600_000 });
  await vi.waitFor(() => expect(state().events).toBe(2));
  expect(archive.batches).toHaveLength(0);
  server.send(commit(startUs + 2 * secondUs, "a"));
  await archive.waitUntil(() => archive.posts.size === 1);
  expect(likes()).toBe(2);
});

describe("a repeated event", () => {
  test("a repeated event is not counted twice after a disconnection, nor from a server with another clock", async () => {
    server.events = Array.from({ length: 50 }, (_unused, second) => like(second));
    start({ urls: [server.url, other.url], overlapMs: 60_000 });
    await archive.waitUntil(() => likes() === 50);
    cut();
    server.send(like(50));
    await archive.waitUntil(() => likes() === 51);
    const clockOffsetUs = 7 * secondUs;
    other.events = server.events.map((event) => ({
      ...event,
      time_us: event.time_us + clockOffsetUs,
    }));
    await server.close();
    await vi.waitFor(() => expect(other.sockets.size).toBe(1));
    other.send({ ...like(51), time_us: startUs + 51 * secondUs + clockOffsetUs });
    await archive.waitUntil(() => likes() === 52);
  });

  test("after a restart, only events near the saved position are counted twice", async () => {
    server.events = Array.from({ length: 20 }, (_unused, second) => like(second));
    start({ overlapMs: 60_000 });
    await archive.waitUntil(() => likes() === 20);
    await ingest?.stop();
    const { state } = start({ overlapMs: 60_000 });
    server.events.push(like(20));
    cut();
    await vi.waitFor(() => expect(state().events).toBeGreaterThan(20));
    await archive.waitUntil(() => likes() >= 21);
    expect(likes()).toBe(23);
  });

  test("an event is counted twice rather than not at all when another server takes over after a restart", async () => {
    server.events = Array.from({ length: 20 }, (_unused, second) => like(second));
    start({ urls: [server.url] });
    await archive.waitUntil(() => likes() === 20);
    await ingest?.stop();
    other.events = Array.from({ length: 30 }, (_unused, n) => like(n - 10, `like${n}`));
    start({ urls: [other.url] });
    await vi.waitFor(() => expect(ingest?.state().events).toBe(30));
    await archive.waitUntil(() => likes() === 50);
  });

  test("a like that reuses the key of an earlier one is counted", async () => {
    server.events.push(like(0, "same"));
    start();
    await archive.waitUntil(() => likes() === 1);
    const reusedLike = like(1, "same") as Event & { commit: { rev: string } };
    reusedLike.commit.rev = "later";
    server.send(reusedLike);
    await archive.waitUntil(() => likes() === 2);
  });
});

test("counts are never too low, wherever the stream stops and even if events are slightly out of order", async () => {
  const disorderedEvents = Array.from({ length: 200 }, (_unused, n) =>
    reaction(startUs + n * 20_000 - ((n * 7) % 4) * 10_000, `like${n}`, postUri("a")),
  );
  for (let round = 1; round <= 20; round += 1) {
    server.events = disorderedEvents.slice(0, round * 10);
    const { state } = start({ batchEvents: 3 });
    await vi.waitFor(() => expect(state().events).toBeGreaterThanOrEqual(10));
    await archive.waitUntil(() => likes() >= round * 10);
    await ingest?.stop();
  }
  expect(likes()).toBeGreaterThanOrEqual(200);
});

describe("followed collections", () => {
  const requestedCollections = () =>
    new URL(server.requests[0]?.url ?? "", "ws://x").searchParams.getAll("wantedCollections");
  const coveredCollections = () => [
    ...new Set(archive.batches.flatMap(({ coverage }) => coverage ?? []).map((c) => c.collection)),
  ];

  test("all collections are followed by default, with coverage for each", async () => {
    server.events.push(commit(startUs, "a"), like(1));
    start();
    await archive.waitUntil(() => likes() === 1 && coveredCollections().length > 0);
    expect(coveredCollections()).toEqual(["posts", "likes", "reposts"]);
    expect(archive.posts.get(postUri("a"))?.counts).toEqual({
      likes: 0,
      reposts: 0,
      replies: 0,
      quotes: 0,
    });
  });

  test("only the configured collections are followed, regardless of what the server sends", async () => {
    server.events.push(commit(startUs, "a"), like(1), commit(startUs + 2 * secondUs, "b"));
    start({ followed: ["posts"] });
    await archive.waitUntil(() => archive.posts.size === 2 && coveredCollections().length > 0);
    expect(requestedCollections()).toEqual(["app.bsky.feed.post"]);
    expect(coveredCollections()).toEqual(["posts"]);
    expect(likes()).toBe(0);
    expect(archive.posts.get(postUri("a"))?.counts.likes).toBeNull();
  });
});

test("the stream stores profiles and account states, and refreshes an account whose handle may have changed", async () => {
  const accountsToRefresh: string[] = [];
  server.events.push(
    event(startUs, "account", { active: false, status: "takendown" }),
    event(startUs + 1, "identity", { did }),
    event(startUs + 2, "commit", {
      rev: "r",
      operation: "update",
      collection: "app.bsky.actor.profile",
      rkey: "self",
      record: { displayName: "Alice", labels: { values: [{ val: "!no-unauthenticated" }] } },
    }),
  );
  ingest = startTestStream(
    { archive, refreshAccount: (account) => accountsToRefresh.push(account) },
    { urls: [server.url] },
  );
  await archive.waitUntil(() => archive.profiles.size === 1);
  expect(archive.statuses.get(did)).toBe("takendown");
  expect(archive.profiles.get(did)).toMatchObject({
    name: "Alice",
    labels: ["!no-unauthenticated"],
  });
  expect(accountsToRefresh).toEqual([did]);
});

test("reading pauses while the archive is slow, and no like is lost", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  archive.beforeWrite = () => promise;
  server.events = Array.from({ length: 20_000 }, (_unused, n) =>
    reaction(startUs + n, `like${n}`, postUri(`post${n}`)),
  );
  const { state } = start({ maxWaitingEvents: 500, batchEvents: 100 });
  await vi.waitFor(() => expect(state().status).toBe("paused"), 10_000);
  expect(state().waitingEvents).toBeLessThan(2_000);
  resolve();
  await archive.waitUntil(() => archive.counts.size === 20_000);
});
