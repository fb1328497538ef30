import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { defaultIngestSettings, type IngestSettings } from "../../src/ingest/ingest-settings.ts";
import { type Ingest, startIngest } from "../../src/ingest/live-ingest.ts";
import { createMemoryArchive, type MemoryArchive } from "../../testkit/archives/memory-archive.ts";
import {
  clock,
  commit,
  did,
  type Event,
  type FakeJetstream,
  postUri,
  startFakeJetstream,
  startUs,
} from "../../testkit/upstreams/fake-jetstream.ts";
import { type LabelerServer, startLabelerServer } from "../../testkit/upstreams/labeler-server.ts";

const labelSource = "did:plc:ar7c4by46qjdydhdevvrndac";

let folder: string;
let jetstream: FakeJetstream;
let labeler: LabelerServer;
let appView: Server;
let port: number;
let handle: string;
let archive: MemoryArchive;
let ingest: Ingest | null = null;

const start = (settings: Partial<IngestSettings> = {}): Ingest => {
  ingest = startIngest({
    archive,
    clock,
    random: Math.random,
    dataDir: folder,
    log: { info: () => {}, warn: () => {} },
    settings: {
      ...defaultIngestSettings,
      urls: [jetstream.url],
      labelerUrls: [labeler.url],
      appviewUrl: `http://127.0.0.1:${port}`,
      dictionaryUrl: `http://127.0.0.1:${port}/dictionary`,
      lookUpsPerSecond: 1_000,
      lookbackMs: 3_600_000,
      batchMs: 1,
      quietBatchMs: 1,
      minBackoffMs: 1,
      maxBackoffMs: 4,
      ...settings,
    },
  });
  return ingest;
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "earshot-live-"));
  jetstream = await startFakeJetstream();
  labeler = await startLabelerServer();
  handle = "alice.example";
  appView = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
    if (pathname !== "/xrpc/app.bsky.actor.getProfiles") {
      response.writeHead(404).end();
      return;
    }
    const profiles = searchParams.getAll("actors").map((actor) => ({ did: actor, handle }));
    response.end(JSON.stringify({ profiles }));
  });
  await new Promise<void>((resolve) => appView.listen(0, "127.0.0.1", resolve));
  ({ port } = appView.address() as AddressInfo);
  archive = createMemoryArchive();
});
afterEach(async () => {
  await ingest?.stop();
  ingest = null;
  await jetstream.close();
  await labeler.close();
  appView.closeAllConnections();
  appView.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a post arrives from the stream, its label from the labeler, and its author's handle from the lookup", async () => {
  const { state } = start();
  await vi.waitFor(() => expect(jetstream.sockets.size + labeler.openConnections()).toBe(2));
  jetstream.send(commit(startUs, "a"));
  labeler.publish({
    src: labelSource,
    uri: postUri("a"),
    val: "porn",
    cts: new Date(startUs / 1000).toISOString(),
  });
  await archive.waitUntil(() => archive.posts.size === 1 && archive.labels.size === 1);
  await archive.waitUntil(() => archive.handles.get(did) === "alice.example");
  await vi.waitFor(() =>
    expect(state()).toMatchObject({
      status: "connected",
      posts: 1,
      labelers: [{ status: "connected", labels: 1 }],
      lookUp: { status: "connected", found: 1 },
    }),
  );
}, 15_000);

test("an account is looked up again after an identity event without a handle", async () => {
  start();
  jetstream.send(commit(startUs, "a"));
  jetstream.events.push(commit(startUs, "a"));
  await archive.waitUntil(() => archive.handles.get(did) === "alice.example");
  handle = "alice.test";
  jetstream.send({ did, time_us: startUs + 1, kind: "identity", identity: { did } } as Event);
  await archive.waitUntil(() => archive.handles.get(did) === "alice.test");
}, 15_000);

test("an unreachable labeler or AppView does not delay the stream", async () => {
  await labeler.close();
  appView.closeAllConnections();
  appView.close();
  const longBackoff = { minBackoffMs: 10_000, maxBackoffMs: 10_000 };
  const running = start({ appviewUrl: "http://127.0.0.1:1", compress: "on", ...longBackoff });
  jetstream.events.push(commit(startUs, "a"));
  await archive.waitUntil(() => archive.posts.size === 1);
  await vi.waitFor(
    () => {
      const { detail, labelers, lookUp } = running.state();
      expect(detail).toMatch(/^connected to 127\.0\.0\.1, uncompressed: /);
      expect(labelers[0]?.detail).toMatch(/^waiting for 127\.0\.0\.1:\d+: connect ECONNREFUSED/);
      expect(lookUp?.detail).toMatch(/^waiting for 127\.0\.0\.1:1: .+, next try in /);
    },
    { timeout: 10_000 },
  );
  labeler = await startLabelerServer();
}, 15_000);

test("the label stream and the account lookup can be switched off", async () => {
  const { state } = start({ labelerUrls: [], lookUp: "off" });
  await vi.waitFor(() => expect(state().status).toBe("connected"));
  expect(state()).toMatchObject({ labelers: [], lookUp: null });
});
