import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";
import {
  type JetstreamServer,
  startJetstreamServer,
} from "../../testkit/upstreams/jetstream-server.ts";

const dataDir = mkdtempSync(join(tmpdir(), "earshot-coverage-"));
const published: { uri: string; timeMs: number }[] = [];
let jetstream: JetstreamServer;
let service: ServiceUnderTest;
let key: string;
let lastUs = 0;

beforeAll(async () => {
  jetstream = await startJetstreamServer();
  service = await start();
  key = await service.makeKey();
});
afterAll(async () => {
  await service.stop();
  await jetstream.close();
  rmSync(dataDir, { recursive: true });
});

async function start(): Promise<ServiceUnderTest> {
  return await startServiceUnderTest({
    EARSHOT_DATA_DIR: dataDir,
    EARSHOT_INGEST: "bluesky",
    EARSHOT_JETSTREAM_URLS: jetstream.url,
    EARSHOT_LABELER_URLS: "none",
    EARSHOT_LOOKUP: "off",
    EARSHOT_INGEST_BATCH_TIME: "20ms",
    EARSHOT_INGEST_BATCH_EVENTS: "2",
    EARSHOT_INGEST_LEAST_BACKOFF: "1s",
    EARSHOT_INGEST_MOST_BACKOFF: "1s",
  });
}

function publish(): void {
  const rkey = `k${published.length}`;
  lastUs = Math.max(lastUs + 1, Date.now() * 1_000);
  published.push({
    uri: `at://did:plc:author/app.bsky.feed.post/${rkey}`,
    timeMs: lastUs / 1_000,
  });
  const collection = "app.bsky.feed.post";
  const createdAt = new Date(lastUs / 1_000).toISOString();
  const record = { $type: collection, createdAt, text: `comet ${rkey}` };
  const commit = { rev: `3${rkey}`, operation: "create", collection, rkey, cid: "c", record };
  jetstream.publish({ did: "did:plc:author", time_us: lastUs, kind: "commit", commit });
}

type Observation = { complete: boolean; missing: string[]; count: number };

/** `missing` posts were published before the end of the reported coverage. */
async function observe(): Promise<Observation> {
  publish();
  const start_time = new Date(Math.ceil(published[0]?.timeMs ?? 0)).toISOString();
  const requested = search("comet", { max_results: 100, start_time });
  const submitted = await service.submit(key, requested);
  const { uuid } = submitted.json();
  const result = await service.result(key, uuid);
  const found = new Set(result.json().map((post: Found) => post.Metadata.uri));
  const url = `/v1/search/live/social/status/${uuid}`;
  const { complete, coverage } = (await service.call(key, { method: "GET", url })).json();
  const endMs = Date.parse(coverage.to);
  const missing = published
    .slice(-80)
    .filter(({ uri, timeMs }) => timeMs < endMs && !found.has(uri))
    .map(({ uri }) => uri);
  return { complete, missing: complete ? missing : [], count: found.size };
}

type Found = { Metadata: { uri: string } };

/** No earlier answer may be wrongly marked complete. */
async function untilComplete(): Promise<Observation> {
  return await until("an answer is complete", async () => {
    const answer = await observe();
    expect(answer.missing).toEqual([]);
    return answer.complete ? answer : null;
  });
}

const isConnected = (): boolean => service.context.ingest.state()?.status === "connected";

test("every answer is complete to the present while the stream is uninterrupted", async () => {
  await until("the service is connected", async () =>
    jetstream.openConnections() > 0 ? true : null,
  );
  await untilComplete();
  for (let n = 0; n < 20; n += 1) {
    expect(await observe()).toMatchObject({ complete: true, missing: [] });
  }
});

test("no answer is complete to the present while the stream is disconnected, and an answer is complete again once it has caught up", async () => {
  for (let cuts = 0; cuts < 3; cuts += 1) {
    await untilComplete();
    jetstream.cut();
    await until("the cut is noticed", async () => (isConnected() ? null : true));
    let observations = 0;
    for (;;) {
      const answer = await observe();
      if (isConnected()) break;
      expect(answer.complete).toBe(false);
      observations += 1;
    }
    expect(observations).toBeGreaterThan(0);
    await untilComplete();
  }
});

test("answers after a restart are complete once the missed events have arrived", async () => {
  await untilComplete();
  await service.stop();
  for (let n = 0; n < 50; n += 1) publish();
  service = await start();
  const answer = await untilComplete();
  expect(answer.count).toBeGreaterThan(50);
});
