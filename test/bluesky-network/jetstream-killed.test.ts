import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fetchGaps, foundPosts, matchAllQuery } from "../../testkit/archives/found-posts.ts";
import {
  makePeople,
  type Person,
  postCollection,
  write,
} from "../../testkit/bluesky-world/people.ts";
import { freePort } from "../../testkit/service/free-port.ts";
import { type ServerProcess, startServer } from "../../testkit/service/server-process.ts";
import { until } from "../../testkit/until.ts";
import {
  type JetstreamProcess,
  startJetstreamProcess,
} from "../../testkit/upstreams/jetstream-process.ts";
import { type Network, startNetwork } from "./network.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-jetstream-killed-"));
let network: Network;
let jetstream: JetstreamProcess;
let server: ServerProcess;
let people: Person[];

beforeAll(async () => {
  network = await startNetwork();
  jetstream = await startJetstreamProcess(folder, { relayUrl: network.relay, plcUrl: network.plc });
  server = await startServer(join(folder, "data"), await freePort(), {
    EARSHOT_INGEST: "bluesky",
    EARSHOT_JETSTREAM_URLS: `ws://127.0.0.1:${jetstream.port}/subscribe`,
    EARSHOT_LABELER_URLS: "none",
    EARSHOT_LOOKUP: "off",
    EARSHOT_INGEST_LOOKBACK: "1d",
    EARSHOT_INGEST_MOST_BACKOFF: "500ms",
  });
  people = await makePeople(network, 3);
});

afterAll(async () => {
  await server?.stop();
  await jetstream?.end("SIGTERM");
  await network?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function writePosts(count: number): Promise<{ uri: string; ms: number }[]> {
  const written: { uri: string; ms: number }[] = [];
  for (let n = 0; n < count; n++) {
    const person = people[n % people.length];
    if (person === undefined) throw new Error("no people");
    const ms = Date.now();
    const record = { $type: postCollection, text: `post ${n}`, createdAt: new Date(ms) };
    const [uri = ""] = await write(network, person, [
      { kind: "create", collection: postCollection, record },
    ]);
    written.push({ uri, ms });
  }
  return written;
}

const waitForPosts = (expectedPosts: readonly { uri: string }[]): Promise<Set<string>> =>
  until("the posts are found", async () => {
    const posts = await foundPosts(server, matchAllQuery);
    const uris = new Set(posts.map(({ Metadata }) => Metadata.uri));
    return expectedPosts.every(({ uri }) => uris.has(uri)) ? uris : null;
  });

/** Jetstream may serve before it follows the network; returns the posts written until it does. */
async function waitForStream(): Promise<{ uri: string; ms: number }[]> {
  const written: { uri: string; ms: number }[] = [];
  return await until("Jetstream follows the network", async () => {
    written.push(...(await writePosts(1)));
    const found = await foundPosts(server, matchAllQuery);
    const uris = new Set(found.map(({ Metadata }) => Metadata.uri));
    return written.some(({ uri }) => uris.has(uri)) ? written : null;
  });
}

test("everything that a killed Jetstream had sent is stored, and what it lost is not covered", async () => {
  await waitForPosts(await writePosts(1));
  const sentPosts = await writePosts(20);
  let found = await waitForPosts(sentPosts);
  let missingPosts: { uri: string; ms: number }[] = [];
  // A kill loses nothing if Jetstream has just saved its cursor.
  for (let kill = 0; kill < 5 && missingPosts.length === 0; kill += 1) {
    await jetstream.end("SIGKILL");
    const lostPosts = await writePosts(10);
    await jetstream.start();
    lostPosts.push(...(await waitForStream()));
    const laterPosts = await writePosts(10);
    const foundUris = await waitForPosts(laterPosts);
    missingPosts = [...lostPosts, ...laterPosts].filter(({ uri }) => !foundUris.has(uri));
    found = foundUris;
  }

  expect(sentPosts.filter(({ uri }) => !found.has(uri))).toEqual([]);
  const gaps = await fetchGaps(server, { fromMs: sentPosts[0]?.ms ?? 0, toMs: Date.now() });
  const isCovered = ({ ms }: { ms: number }): boolean =>
    !gaps.some((gap) => gap.fromMs <= ms && ms < gap.toMs);
  expect(sentPosts.filter((post) => !isCovered(post))).toEqual([]);
  expect(missingPosts.length).toBeGreaterThan(0);
  expect(missingPosts.filter(isCovered)).toEqual([]);
});
