import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FoundPost, foundPosts, matchAllQuery } from "../../testkit/archives/found-posts.ts";
import { createDraw } from "../../testkit/bluesky-world/draw.ts";
import { makePeople } from "../../testkit/bluesky-world/people.ts";
import { testSeed } from "../../testkit/seed.ts";
import { type CuttingProxy, startCuttingProxy } from "../../testkit/service/cutting-proxy.ts";
import type { ServerProcess } from "../../testkit/service/server-process.ts";
import { until } from "../../testkit/until.ts";
import {
  type JetstreamProcess,
  startJetstreamProcess,
} from "../../testkit/upstreams/jetstream-process.ts";
import { countsBelow, type Differences, differences, reportCounts, summary } from "./compare.ts";
import { startDisturbance } from "./disturb.ts";
import { type Earshot, startEarshot } from "./earshot.ts";
import { type Life, startLife } from "./life.ts";
import { labelerDid } from "./moderation.ts";
import { type Network, startNetwork } from "./network.ts";
import { readTruth, type Truth } from "./truth.ts";

/**
 * The Bluesky PDS, PLC directory and Jetstream on this machine, and Earshot, which is killed, stopped and disconnected.
 * In the end Earshot must show what the network has.
 */
const seed = testSeed(20_261_121);
const peopleCount = 210;
const stepCount = Number(process.env.EARSHOT_TEST_STEPS ?? 840);

const folder = mkdtempSync(join(tmpdir(), "earshot-network-"));
const proxies: CuttingProxy[] = [];
let network: Network;
let jetstream: JetstreamProcess;
let earshot: Earshot;
let life: Life;
let truth: Truth;
let found: FoundPost[];

beforeAll(async () => {
  console.log(`EARSHOT_TEST_SEED=${seed}`);
  network = await startNetwork();
  jetstream = await startJetstreamProcess(join(folder, "jetstream"), {
    relayUrl: network.relay,
    plcUrl: network.plc,
  });
  proxies.push(
    await startCuttingProxy(jetstream.port),
    await startCuttingProxy(Number(new URL(network.labeler).port)),
  );
  const [streamPort, labelerPort] = proxies.map((proxy) => proxy.port);
  earshot = await startEarshot(join(folder, "data"), {
    EARSHOT_INGEST: "bluesky",
    EARSHOT_JETSTREAM_URLS: `ws://127.0.0.1:${streamPort}/subscribe`,
    EARSHOT_LABELER_URLS: `ws://127.0.0.1:${labelerPort}/xrpc/com.atproto.label.subscribeLabels`,
    EARSHOT_LABELER_SOURCES: labelerDid,
    EARSHOT_BLUESKY_APPVIEW_URL: network.appview,
    EARSHOT_LABELER_START: "beginning",
    EARSHOT_COUNT_DELAY: "2s",
    EARSHOT_INGEST_LOOKBACK: "1d",
    EARSHOT_INGEST_LEAST_BACKOFF: "20ms",
    EARSHOT_INGEST_MOST_BACKOFF: "500ms",
    EARSHOT_SEGMENT_POSTS: "700",
  });
});

afterAll(async () => {
  await earshot?.stop();
  await jetstream?.end("SIGTERM");
  for (const proxy of proxies) await proxy.close();
  await network?.close();
  rmSync(folder, { recursive: true, force: true });
});

const runningServer = (): ServerProcess => {
  const server = earshot.server();
  if (server === null) throw new Error("Earshot is not running");
  return server;
};

/** No label may expire between reading the network and Earshot. */
async function waitForLabelExpiry(): Promise<void> {
  const lastMs = Math.max(
    ...life.labels.map(({ exp }) => (exp === undefined ? 0 : Date.parse(exp))),
  );
  await until("the labels have expired", () => (Date.now() > lastMs ? true : null));
}

async function waitForMatch(timeoutMs: number): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    found = await foundPosts(runningServer(), matchAllQuery);
    const mismatchCount = differences(found, truth).length + countsBelow(found, truth, life).length;
    if (mismatchCount === 0 || performance.now() > endMs) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

describe("a busy network in which Earshot was killed, stopped and disconnected", () => {
  beforeAll(async () => {
    const startedMs = performance.now();
    const people = await makePeople(network, peopleCount);
    const madeMs = performance.now();
    life = startLife(network, people, createDraw(seed));
    const disturbance = startDisturbance(createDraw(seed + 1), { earshot, jetstream, proxies });
    for (let step = 0; step < stepCount; step++) {
      disturbance.step();
      await life.step();
    }
    const disturbances = await disturbance.settle();
    await waitForLabelExpiry();
    const livedMs = performance.now();
    truth = await readTruth(network, life.labels);
    const readMs = performance.now();
    await waitForMatch(90_000);
    const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
    console.log(
      `${people.length} accounts in ${seconds(madeMs - startedMs)}, life ${seconds(livedMs - madeMs)}, ` +
        `the network read in ${seconds(readMs - livedMs)}, Earshot settled in ${seconds(performance.now() - readMs)}`,
    );
    for (const [name, tally] of Object.entries({
      ...life.actionCounts(),
      disturbed: disturbances,
    })) {
      console.log(`${name}: ${JSON.stringify(Object.fromEntries(tally))}`);
    }
    console.log(`${truth.posts.size} visible posts; ${reportCounts(found, truth, life)}`);
  }, 600_000);

  test("the test network was large enough, and Jetstream was read with and without compression", () => {
    expect(truth.accounts.length).toBeGreaterThanOrEqual(stepCount < 500 ? 1 : 180);
    expect(truth.posts.size).toBeGreaterThanOrEqual(stepCount < 500 ? 1 : 5_000);
    const requestLines = proxies[0]?.requests() ?? [];
    const compressedCount = requestLines.filter((line) => line.includes("compress=true")).length;
    expect(compressedCount).toBeGreaterThan(0);
    expect(requestLines.length).toBeGreaterThan(compressedCount);
  });

  test("every visible post of the network is found in its current version, and no other post is found", () => {
    expect(summary(differences(found, truth))).toEqual([]);
  });

  test("no count of likes, reposts, replies or quotes is below the network's", () => {
    expect(summary(countsBelow(found, truth, life))).toEqual([]);
  });

  test("from: finds each account by its final handle", async () => {
    const mismatches: Differences = [];
    for (const { did, handle, visibleCount } of truth.accounts) {
      const byHandle = await foundPosts(runningServer(), `from:${handle}`);
      // A former handle that another account has taken matches both.
      const formerOwners = life.formerHandles.get(handle) ?? new Set();
      const ownCount = byHandle.filter(({ Metadata }) => Metadata.user_id === did).length;
      const foreignPosts = byHandle.filter(
        ({ Metadata: { user_id } }) => user_id !== did && !formerOwners.has(user_id),
      );
      if (ownCount !== visibleCount)
        mismatches.push(`own: ${ownCount} of ${visibleCount} posts for from:${handle}`);
      if (foreignPosts.length > 0)
        mismatches.push(`of others: ${foreignPosts.length} for from:${handle}`);
    }
    expect(summary(mismatches)).toEqual([]);
  });
});
