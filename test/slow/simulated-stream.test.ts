import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServerProcess } from "../../testkit/service/server-process.ts";
import { makeSlowDisk } from "../../testkit/service/slow-disk.ts";
import { until } from "../../testkit/until.ts";
import { buildJetstream } from "../../testkit/upstreams/jetstream-process.ts";
import {
  foundTexts,
  type SimulatedStream,
  type StreamSample,
  startSimulatedStream,
  takeSample,
} from "../../testkit/upstreams/simulated-stream.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-slow-simulator-"));
const trafficMs = 10_000;
/** Well above normal use, far below unbounded buffering. */
const maxResidentMb = 500;
/** All events of one read are received before reading pauses. */
const maxEventsPerRead = Math.ceil(65_536 / 200);

let stream: SimulatedStream;
let stored: { posts: Map<string, string>; events: number };

beforeAll(async () => {
  buildJetstream();
  stream = await startSimulatedStream(folder, { accounts: 100, seed: 42 });
}, 600_000);
afterAll(async () => {
  await stream?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function samplesUntilStored(service: ServerProcess): Promise<StreamSample[]> {
  const samples: StreamSample[] = [];
  await until(
    "the service has received all events",
    async () => {
      const sample = await takeSample(service);
      samples.push(sample);
      return sample.events >= stored.events && sample.waiting === 0 ? true : null;
    },
    120_000,
  );
  await until("the service finds the posts that Jetstream stored", async () =>
    sameMaps(await foundTexts(service), stored.posts) ? true : null,
  ).catch(() => {});
  return samples;
}

describe("Jetstream's own simulator at its highest rate", () => {
  test("Jetstream's own simulator at its highest rate delivers every post once, in its last version", async () => {
    const service = await stream.startService("live", { EARSHOT_SEGMENT_POSTS: "500" });
    await stream.startTraffic();
    const samples: StreamSample[] = [];
    for (const endMs = performance.now() + trafficMs; performance.now() < endMs; ) {
      samples.push(await takeSample(service));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await stream.endTraffic();
    stored = await stream.jetstreamPosts();
    samples.push(...(await samplesUntilStored(service)));
    expect(stored.posts.size).toBeGreaterThan(100);
    expect(differingPosts(await foundTexts(service), stored.posts)).toEqual([]);
    expect(max(samples, "residentMb")).toBeLessThan(maxResidentMb);
    await service.stop();
  });

  test("Jetstream's simulator waits for a disk on which each write takes 50 ms longer, and nothing is lost", async () => {
    const disk = makeSlowDisk(folder, 50);
    const maxWaiting = 200;
    const service = await stream.startService("slow", {
      ...disk.environment,
      EARSHOT_SEGMENT_POSTS: "500",
      EARSHOT_INGEST_BATCH_EVENTS: "50",
      EARSHOT_INGEST_MAX_WAITING_EVENTS: String(maxWaiting),
    });
    const samples = await samplesUntilStored(service);
    expect(differingPosts(await foundTexts(service), stored.posts)).toEqual([]);
    expect(max(samples, "waiting")).toBeGreaterThan(maxWaiting / 2);
    expect(max(samples, "waiting")).toBeLessThanOrEqual(maxWaiting + maxEventsPerRead);
    expect(max(samples, "residentMb")).toBeLessThan(maxResidentMb);
    expect(disk.calls()).toBeGreaterThan(10);
    await service.stop();
  });
});

const max = (samples: readonly StreamSample[], name: keyof StreamSample): number =>
  Math.max(...samples.map((sample) => sample[name]));

function differingPosts(
  found: ReadonlyMap<string, string>,
  due: ReadonlyMap<string, string>,
): string[] {
  const uris = new Set([...found.keys(), ...due.keys()]);
  return [...uris]
    .filter((uri) => found.get(uri) !== due.get(uri))
    .map((uri) => `${uri}: ${found.get(uri)}, Jetstream stored ${due.get(uri)}`)
    .slice(0, 5);
}

const sameMaps = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
