import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  createMemoryArchive,
  type MemoryArchive,
} from "../../../testkit/archives/memory-archive.ts";
import {
  encodeFrame,
  type LabelerServer,
  type PublishedLabel,
  startLabelerServer,
} from "../../../testkit/upstreams/labeler-server.ts";
import { systemClock } from "../../lib/clock.ts";
import { defaultIngestSettings } from "../ingest-settings.ts";
import { type Labeler, startLabeler } from "./labeler.ts";
import type { LabelerSettings } from "./labeler-settings.ts";

const source = "did:plc:ar7c4by46qjdydhdevvrndac";
const author = "did:plc:dclwtltrt2ggsryagfzk7dp4";
const startMs = Date.UTC(2026, 6, 4);
const clock = { ...systemClock, now: () => startMs + 3_600_000 };
const makeUri = (rkey: string) => `at://${author}/app.bsky.feed.post/${rkey}`;
const label = (second: number, overrides: Partial<PublishedLabel> = {}): PublishedLabel => ({
  src: source,
  uri: makeUri(`k${second}`),
  val: "porn",
  cts: new Date(startMs + second * 1000).toISOString(),
  ...overrides,
});

let server: LabelerServer;
let archive: MemoryArchive;
let labeler: Labeler | null = null;

const start = (settings: Partial<LabelerSettings> = {}): Labeler => {
  labeler = startLabeler({
    url: server.url,
    archive,
    clock,
    random: () => 0.5,
    log: { info: () => {}, warn: () => {} },
    settings: {
      ...defaultIngestSettings,
      sources: [source],
      start: "now",
      maxLabels: 100,
      userAgent: "earshot/test",
      batchMs: 1,
      quietBatchMs: 1,
      minBackoffMs: 1,
      maxBackoffMs: 4,
      ...settings,
    },
  });
  return labeler;
};
const startConnected = async (settings: Partial<LabelerSettings> = {}) => {
  const started = start(settings);
  await vi.waitFor(() => expect(server.openConnections()).toBe(1));
  await vi.waitFor(() => expect(started.state().status).toBe("connected"));
  return started;
};
const changes = () => archive.batches.flatMap((batch) => batch.changes);
const position = () => {
  const value = [...archive.checkpoints.values()][0];
  return value === undefined ? null : (JSON.parse(value) as { seq: number; timeMs: number });
};
const covered = () =>
  archive.batches
    .flatMap((batch) => batch.coverage ?? [])
    .map(({ fromMs, toMs }) => [(fromMs - startMs) / 1000, (toMs - startMs) / 1000])
    .reduce<number[][]>((merged, [from = 0, to = 0]) => {
      const last = merged.at(-1);
      if (last !== undefined && (last[1] ?? 0) >= from) last[1] = to;
      else merged.push([from, to]);
      return merged;
    }, []);

beforeEach(async () => {
  server = await startLabelerServer();
  archive = createMemoryArchive();
});
afterEach(async () => {
  await labeler?.stop();
  labeler = null;
  await server.close();
});

test("the label stream stores labels from a trusted source on posts and accounts", async () => {
  const { state } = await startConnected();
  server.publish(label(1), label(2, { uri: author, val: "!takedown" }));
  await archive.waitUntil(() => archive.labels.size === 2);
  server.publish(label(3, { uri: author, val: "!takedown", neg: true }));
  const key = `${source} ${author} !takedown`;
  await archive.waitUntil(() => archive.labels.get(key)?.negated === true);
  expect(state()).toMatchObject({ status: "connected", labels: 3, passedOver: 0, unreadable: 0 });
});

test("the label stream skips labels from other sources and on other subjects", async () => {
  const { state } = await startConnected();
  server.publish(
    label(1, { src: author }),
    label(2, { uri: `at://${author}/app.bsky.graph.list/3l` }),
    label(3, { cts: "never" }),
    label(4),
  );
  await archive.waitUntil(() => archive.labels.size === 1);
  expect(changes()).toHaveLength(1);
  expect(state()).toMatchObject({ labels: 1, passedOver: 2, unreadable: 1 });
});

describe("the start of the stream", () => {
  test("the label stream starts with new labels by default", async () => {
    server.publish(label(1));
    await startConnected();
    server.publish(label(2));
    await archive.waitUntil(() => archive.labels.size === 1);
    expect(server.cursors).toEqual([null]);
  });

  test("the label stream starts with the labeler's first label if configured", async () => {
    server.publish(label(1));
    await startConnected({ start: "beginning" });
    await archive.waitUntil(() => archive.labels.size === 1);
    expect(server.cursors).toEqual(["0"]);
  });

  test("the label stream resumes after the last stored frame, after a disconnection and a restart", async () => {
    await startConnected();
    server.publish(label(1));
    await archive.waitUntil(() => position()?.seq === 1);
    server.cut();
    server.publish(label(2));
    await archive.waitUntil(() => position()?.seq === 2);
    await labeler?.stop();
    server.publish(label(3));
    await startConnected();
    await archive.waitUntil(() => position()?.seq === 3);
    expect(server.cursors).toEqual([null, "1", "2"]);
    expect(archive.labels.size).toBe(3);
    expect(covered()).toEqual([[1, 3]]);
    expect(archive.batches.flatMap(({ coverage }) => coverage ?? [])[0]).toMatchObject({
      platform: "bluesky",
      collection: "labels",
      account: null,
    });
  });
});

describe("the coverage has a gap", () => {
  test("label coverage has a gap when the labeler no longer has the position", async () => {
    await startConnected();
    server.publish(label(1));
    server.publish(label(2));
    await archive.waitUntil(() => position()?.seq === 2);
    await labeler?.stop();
    for (const second of [3, 4, 5, 6]) server.publish(label(second));
    server.forgetBefore(5);
    await startConnected();
    await archive.waitUntil(() => position()?.seq === 6);
    expect(covered()).toEqual([
      [1, 2],
      [5, 6],
    ]);
  });

  test("label coverage has a gap when a frame is unreadable", async () => {
    const { state } = await startConnected();
    server.publish(label(1));
    server.publish(label(2));
    server.sendRaw(Buffer.from([1, 2, 3]));
    server.sendRaw("text");
    server.publish(label(7));
    server.publish(label(8));
    await archive.waitUntil(() => position()?.seq === 4);
    expect(state().unreadable).toBe(2);
    expect(covered()).toEqual([
      [1, 2],
      [7, 8],
    ]);
  });

  test("label coverage has a gap, after several tries, when the labeler has restarted its sequence", async () => {
    await startConnected();
    for (const second of [1, 2, 3]) server.publish(label(second));
    await archive.waitUntil(() => position()?.seq === 3);
    server.reset();
    server.cut();
    await vi.waitFor(() => expect(server.cursors).toHaveLength(7));
    await vi.waitFor(() => expect(server.openConnections()).toBe(1));
    expect(server.cursors).toEqual([null, "3", "3", "3", "3", "3", null]);
    server.publish(label(8));
    server.publish(label(9));
    await archive.waitUntil(() => position()?.seq === 2);
    expect(covered()).toEqual([
      [1, 3],
      [8, 9],
    ]);
  });
});

test("the label stream skips an oversized frame, with a gap in the coverage", async () => {
  await startConnected({ maxFrameBytes: 2_000 });
  server.publish(label(1));
  server.publish(label(2));
  await archive.waitUntil(() => position()?.seq === 2);
  server.publish(label(3, { val: "x".repeat(3_000) }));
  server.publish(label(4));
  server.publish(label(5));
  await archive.waitUntil(() => position()?.seq === 5);
  expect(archive.labels.size).toBe(4);
  expect(covered()).toEqual([
    [1, 2],
    [4, 5],
  ]);
});

test("the label stream ignores an info frame and an unknown kind", async () => {
  const { state } = await startConnected();
  server.sendRaw(encodeFrame({ op: 1, t: "#info" }, { name: "Hello", message: "" }));
  server.sendRaw(encodeFrame({ op: 1, t: "#else" }, {}));
  server.publish(label(1));
  await archive.waitUntil(() => archive.labels.size === 1);
  expect(state()).toMatchObject({ unreadable: 0, reconnects: 0 });
});

test("the label stream reports the labeler's message when it ends the connection", async () => {
  const { state } = await startConnected({ minBackoffMs: 8_000, maxBackoffMs: 8_000 });
  server.sendRaw(encodeFrame({ op: -1 }, { error: "ConsumerTooSlow", message: "too slow" }));
  server.cut();
  await vi.waitFor(() =>
    expect(state().detail).toMatch(
      /^waiting for 127\.0\.0\.1:\d+: ConsumerTooSlow: too slow, next try in 6 s$/,
    ),
  );
});

test("the label stream pauses reading while the archive is slow, and loses nothing", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  archive.beforeWrite = () => promise;
  const { state } = await startConnected({ maxWaitingEvents: 20, batchEvents: 10 });
  for (let second = 0; second < 500; second += 1) server.publish(label(second), label(second));
  await vi.waitFor(() => expect(state().status).toBe("paused"));
  resolve();
  await archive.waitUntil(() => archive.labels.size === 500);
});
