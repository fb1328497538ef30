import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "../../src/server/log.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { mountSmallDisk } from "../../testkit/service/small-disk.ts";
import { until } from "../../testkit/until.ts";
import {
  type JetstreamServer,
  startJetstreamServer,
} from "../../testkit/upstreams/jetstream-server.ts";

const disk = mountSmallDisk(32);

const collection = "app.bsky.feed.post";

const fullArchiveSearch = (query: string, more: Record<string, unknown> = {}) =>
  search(query, { type: "searchbyfullarchive", ...more });

function publishPost(jetstream: JetstreamServer, key: string, text: string): void {
  const createdAt = new Date().toISOString();
  const commit = { rev: `3${key}`, operation: "create", collection, rkey: key, cid: "c" };
  jetstream.publish({
    did: "did:plc:author",
    time_us: Date.now() * 1_000,
    kind: "commit",
    commit: { ...commit, record: { $type: collection, createdAt, text } },
  });
}

describe.skipIf(disk === null)("a full disk", () => {
  if (disk === null) return;
  const logged: string[] = [];
  let jetstream: JetstreamServer;
  let service: ServiceUnderTest;
  let key: string;
  let earlier: string;

  beforeAll(async () => {
    jetstream = await startJetstreamServer();
    const settings = {
      EARSHOT_DATA_DIR: join(disk.folder, "data"),
      EARSHOT_INGEST: "bluesky",
      EARSHOT_JETSTREAM_URLS: jetstream.url,
      EARSHOT_LABELER_URLS: "none",
      EARSHOT_LOOKUP: "off",
      EARSHOT_INGEST_LEAST_BACKOFF: "20ms",
      EARSHOT_INGEST_MOST_BACKOFF: "200ms",
    };
    const log = createLog("info", { write: (line) => logged.push(line) });
    service = await startServiceUnderTest(settings, { log });
    key = await service.makeKey();
    await service.addPosts(
      Array.from({ length: 200 }, (_, n) => makePost({ key: `k${n}`, text: `comet number ${n}` })),
    );
    earlier = (await service.submit(key, fullArchiveSearch("comet"))).json().uuid;
    expect((await service.result(key, earlier)).json()).toHaveLength(20);
  });

  afterAll(async () => {
    await service.stop();
    await jetstream.close();
    disk.remove();
  });

  const readiness = async () =>
    (await service.call(null, { method: "GET", url: "/readyz" })).json();

  async function submitUntilRejected() {
    const accepted: string[] = [];
    for (let n = 0; n < 20_000; n++) {
      const query = `comet OR ${"x".repeat(60)}${n}`;
      const response = await service.submit(key, fullArchiveSearch(query));
      if (response.statusCode !== 202) return { accepted, response };
      accepted.push(response.json().uuid);
    }
    throw new Error("the disk did not fill up");
  }

  test("a server with a full disk rejects submissions with 503 and a reason, serves reads, pauses ingest, and recovers without a restart", async () => {
    disk.fill();
    const { accepted, response } = await submitUntilRejected();
    expect(response.statusCode).toBe(503);
    expect(response.headers["retry-after"]).toBeDefined();
    expect(response.json()).toMatchObject({
      code: "unavailable",
      retryable: true,
      uuid: "",
      error: "the disk containing the data folder is full",
    });
    expect(response.json().hint).toContain("frees space");
    expect((await readiness()).storage).toBe("full");
    expect(await service.context.http.metrics.text()).toMatch(/^earshot_store_full 1$/m);

    const ready = await service.call(null, { method: "GET", url: "/readyz" });
    expect(ready.statusCode).toBe(200);
    expect((await service.result(key, earlier)).json()).toHaveLength(20);
    const url = `/v1/search/live/social/status/${earlier}`;
    const status = await service.call(key, { method: "GET", url });
    expect(status.json()).toMatchObject({ status: "done" });
    const counts = "/v1/search/social/counts?query=comet";
    expect((await service.call(key, { method: "GET", url: counts })).statusCode).toBe(200);

    const big = Array.from({ length: 500 }, (_, n) =>
      makePost({ key: `big${n}`, text: `harbour ${n} ${"night ".repeat(200)}` }),
    );
    await expect(service.addPosts(big)).rejects.toMatchObject({
      code: "archive_unavailable",
      retryable: true,
    });
    for (let n = 0; n < 400; n++)
      publishPost(jetstream, `s${n}`, `lantern ${n} ${"x ".repeat(140)}`);
    await until("ingest is paused", async () =>
      (await readiness()).ingest_status === "paused" ? true : null,
    );

    disk.free();
    await until("storage has room", async () =>
      (await readiness()).storage === "has room" ? true : null,
    );
    const later = await service.submit(key, fullArchiveSearch("comet"));
    expect(later.statusCode).toBe(202);
    for (const uuid of [...accepted, later.json().uuid]) {
      const result = await service.result(key, uuid);
      expect(result.statusCode, result.body).toBe(200);
      expect(result.json()).toHaveLength(20);
      const url = `/v1/search/live/social/status/${uuid}`;
      const ended = await service.call(key, { method: "GET", url });
      expect(ended.json()).toMatchObject({ status: "done", attempts: 1 });
    }
    await service.addPosts(big);
    await until("ingest resumes", async () =>
      (await readiness()).ingest_status === "connected" ? true : null,
    );
    await until("all streamed posts are archived", async () => {
      const { uuid } = (
        await service.submit(key, fullArchiveSearch("lantern", { max_results: 100 }))
      ).json();
      const { length } = (await service.result(key, uuid)).json();
      return length === 100 ? true : null;
    });
    const lines = logged.filter((line) => /the disk (is full|has free space)/.test(line));
    expect(lines.length % 2).toBe(0);
    expect(lines.length).toBeGreaterThan(0);
  });
});
