import { zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  createMemoryArchive,
  type MemoryArchive,
} from "../../../testkit/archives/memory-archive.ts";
import {
  commit,
  type FakeJetstream,
  postUri,
  secondUs,
  startFakeJetstream,
  startTestStream,
  startUs,
} from "../../../testkit/upstreams/fake-jetstream.ts";
import type { Jetstream } from "./jetstream.ts";
import type { JetstreamSettings } from "./settings.ts";

const dictionary = Buffer.from(
  '{"did":"did:plc:","time_us":,"kind":"commit","commit":{"rev":""'.repeat(8),
);

let server: FakeJetstream;
let archive: MemoryArchive;
let ingest: Jetstream | null = null;
let downloads: Buffer[];

const start = (settings: Partial<JetstreamSettings> = {}): Jetstream => {
  const load = async () => {
    const download = downloads.shift();
    if (download === undefined) throw new Error("dictionaries.example returned HTTP 404");
    return download;
  };
  ingest = startTestStream(
    { archive, dictionary: load },
    { urls: [server.url], compress: "on", ...settings },
  );
  return ingest;
};

beforeEach(async () => {
  server = await startFakeJetstream();
  server.serve = (socket, replay, connection) => {
    const isCompressed = server.requests[connection]?.url?.includes("compress=true") === true;
    for (const event of replay) {
      const text = JSON.stringify(event);
      socket.send(isCompressed ? zstdCompressSync(text, { dictionary }) : text);
    }
  };
  archive = createMemoryArchive();
  downloads = [];
});
afterEach(async () => {
  await ingest?.stop();
  ingest = null;
  await server.close();
});

describe("a compressed stream", () => {
  test("a compressed stream is requested if configured and the dictionary is available", async () => {
    downloads = [dictionary];
    server.events.push(commit(startUs, "a"), commit(startUs + 1, "b"));
    const { state } = start();
    await archive.waitUntil(() => archive.posts.size === 2);
    expect(server.requests[0]?.url).toContain("compress=true");
    expect(state()).toMatchObject({ badFrames: 0, detail: "connected to 127.0.0.1" });
    await ingest?.stop();
    start({ compress: "off" });
    await vi.waitFor(() => expect(server.requests).toHaveLength(2));
    expect(server.requests[1]?.url).not.toContain("compress");
  });

  test("the stream falls back to uncompressed without the dictionary, reports it, and retries at the next connection", async () => {
    server.events.push(commit(startUs, "a"));
    const { state } = start();
    await archive.waitUntil(() => archive.posts.size === 1);
    expect(server.requests[0]?.url).not.toContain("compress");
    expect(state().detail).toBe(
      "connected to 127.0.0.1, uncompressed: dictionaries.example returned HTTP 404",
    );
    downloads = [dictionary];
    server.events.push(commit(startUs + 1, "b"));
    for (const socket of server.sockets) socket.terminate();
    await archive.waitUntil(() => archive.posts.size === 2);
    expect(server.requests[1]?.url).toContain("compress=true");
    expect(state().detail).toBe("connected to 127.0.0.1");
  });

  test("a compressed stream may contain text frames", async () => {
    downloads = [dictionary];
    start();
    await vi.waitFor(() => expect(server.sockets.size).toBe(1));
    server.send(commit(startUs, "a"));
    await archive.waitUntil(() => archive.posts.size === 1);
  });

  test("an event that decompresses beyond the limit is skipped, with a gap in the coverage", async () => {
    downloads = [dictionary];
    server.events.push(
      commit(startUs, "a"),
      commit(startUs + secondUs, "b"),
      { ...commit(startUs + 2 * secondUs, "large"), padding: "x".repeat(100_000) } as never,
      commit(startUs + 3 * secondUs, "c"),
      commit(startUs + 4 * secondUs, "d"),
    );
    const { state } = start({ maxFrameBytes: 10_000 });
    await archive.waitUntil(() => archive.posts.size === 4);
    expect(archive.posts.has(postUri("large"))).toBe(false);
    expect(state()).toMatchObject({ badFrames: 1, reconnects: 0, status: "connected" });
    const seconds = archive.batches
      .flatMap(({ coverage }) => coverage ?? [])
      .filter(({ collection }) => collection === "posts")
      .flatMap(({ fromMs, toMs }) => [fromMs - startUs / 1000, toMs - startUs / 1000]);
    expect(seconds.some((ms) => ms > 1_000 && ms < 3_000)).toBe(false);
    expect([Math.min(...seconds), Math.max(...seconds)]).toEqual([0, 4_000]);
  });
});
