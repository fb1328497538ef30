import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  createMemoryArchive,
  type MemoryArchive,
} from "../../../testkit/archives/memory-archive.ts";
import {
  clock,
  commit,
  type FakeJetstream,
  postUri,
  secondUs,
  sendAll,
  startFakeJetstream,
  startTestStream,
  startUs,
} from "../../../testkit/upstreams/fake-jetstream.ts";
import {
  type JetstreamServer,
  startJetstreamServer,
} from "../../../testkit/upstreams/jetstream-server.ts";
import type { Jetstream } from "./jetstream.ts";

const hourUs = 3_600 * secondUs;

let server: FakeJetstream;
let archive: MemoryArchive;
let ingest: Jetstream | null = null;

const start = (url = server.url, nowUs = startUs + 60 * secondUs): Jetstream => {
  const testClock = { ...clock, now: () => nowUs / 1000 };
  ingest = startTestStream({ archive, clock: testClock }, { urls: [url] });
  return ingest;
};
const inserted = () => archive.reports.reduce((sum, report) => sum + report.inserted, 0);
const positionUs = (): number => JSON.parse(archive.checkpoints.get("jetstream") ?? "{}").timeUs;
const covered = () =>
  archive.batches
    .flatMap(({ coverage }) => coverage ?? [])
    .filter(({ collection }) => collection === "posts")
    .map(({ fromMs, toMs }) => [fromMs / 1000 - startUs / 1e6, toMs / 1000 - startUs / 1e6])
    .reduce<number[][]>((merged, [from = 0, to = 0]) => {
      const last = merged.at(-1);
      if (last !== undefined && (last[1] ?? 0) >= from) last[1] = Math.max(last[1] ?? 0, to);
      else merged.push([from, to]);
      return merged;
    }, []);

beforeEach(async () => {
  server = await startFakeJetstream();
  archive = createMemoryArchive();
});
afterEach(async () => {
  await ingest?.stop();
  ingest = null;
  await server.close();
});

test("events out of order or with wrong times are stored once, and do not move the position back", async () => {
  server.events = Array.from({ length: 40 }, (_unused, n) =>
    commit(startUs + n * secondUs, `k${n}`),
  );
  server.serve = (socket, replay) => {
    sendAll(socket, replay.toReversed());
    sendAll(socket, replay);
    for (const event of replay) {
      sendAll(socket, [{ ...event, time_us: event.time_us - 24 * hourUs }]);
      sendAll(socket, [{ ...event, time_us: Number.MAX_SAFE_INTEGER }]);
      socket.send("{");
    }
  };
  const { state } = start();
  await archive.waitUntil(() => archive.posts.size === 40);
  await vi.waitFor(() => expect(state().badFrames).toBe(80));
  expect(inserted()).toBe(40);
  await vi.waitFor(() => expect(positionUs()).toBe(startUs + 39 * secondUs));
});

test("when a server's clock is set back, the stream continues and the position waits until the clock catches up", async () => {
  server.events.push(commit(startUs, "a"), commit(startUs + 10 * secondUs, "b"));
  start();
  await archive.waitUntil(() => archive.posts.size === 2);
  server.send(commit(startUs + 4 * secondUs, "c"), commit(startUs + 5 * secondUs, "d"));
  await archive.waitUntil(() => archive.posts.size === 4);
  expect(positionUs()).toBe(startUs + 10 * secondUs);
  server.send(commit(startUs + 12 * secondUs, "e"));
  await archive.waitUntil(() => archive.posts.size === 5);
  expect(positionUs()).toBe(startUs + 12 * secondUs);
  expect(covered()).toEqual([[0, 12]]);
});

test("no event is lost when a connection breaks within a frame", async () => {
  const emulator: JetstreamServer = await startJetstreamServer();
  const publish = (n: number) => emulator.publish(commit(startUs + n * secondUs, `k${n}`) as never);
  publish(0);
  const { state } = start(emulator.url);
  for (let n = 1; n <= 10; n += 1) {
    await vi.waitFor(() => expect(emulator.openConnections()).toBe(1));
    emulator.cutInFrame();
    publish(n);
    await archive.waitUntil(() => archive.posts.size === n + 1);
  }
  expect(inserted()).toBe(11);
  expect(state()).toMatchObject({ badFrames: 0 });
  expect(covered()).toEqual([[0, 10]]);
  await emulator.close();
});

test("after 37 hours offline, a server with a lookback of 36 leaves a gap of one hour", async () => {
  server.events.push(commit(startUs, "a"), commit(startUs + secondUs, "b"));
  start();
  await archive.waitUntil(() => archive.posts.size === 2);
  await ingest?.stop();
  const oldestUs = startUs + hourUs;
  server.events = [0, 18, 36].map((hours) => commit(oldestUs + hours * hourUs, `after${hours}`));
  start(server.url, startUs + 37 * hourUs);
  await archive.waitUntil(() => archive.posts.size === 5);
  expect(covered()).toEqual([
    [0, 1],
    [3_600, 3_600 + 36 * 3_600],
  ]);
  expect(archive.posts.has(postUri("after0"))).toBe(true);
});
