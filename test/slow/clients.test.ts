import { createHmac } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../bench/measure.ts";
import { type ClientError, DrivenClient } from "../../testkit/clients/driven-client.ts";
import {
  type Fault,
  type FaultyProxy,
  startFaultyProxy,
} from "../../testkit/clients/faulty-proxy.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import { freePort } from "../../testkit/service/free-port.ts";
import { startServer } from "../../testkit/service/server-process.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

const drivers = join(import.meta.dirname, "../../testkit/clients");
/** The interpreter that .ci/python-client installs. */
const python = join(import.meta.dirname, "../../clients/python/.venv/bin/python");

const clients: [language: string, command: readonly string[]][] = [
  ["TypeScript", [process.execPath, join(drivers, "driver.ts")]],
  ["synchronous Python", [python, join(drivers, "driver.py"), "sync"]],
  ["asynchronous Python", [python, join(drivers, "driver.py"), "async"]],
];

const posts = 60;
const faults: readonly Fault[] = ["busy", "unavailable", "cut before", "cut after", "cut within"];

let service: ServiceUnderTest;
const folders: string[] = [];

beforeAll(async () => {
  service = await startServiceUnderTest({
    EARSHOT_MAX_WAITING_JOBS: "5000",
    EARSHOT_WEBHOOK_CONCURRENCY: "0",
  });
  await service.addPosts(
    Array.from({ length: posts }, (_, index) => {
      const createdMs = service.clock.now() - (index + 1) * 60_000;
      const createdAt = new Date(createdMs).toISOString();
      return makePost({ key: `p${index}`, createdMs, createdAt, text: `comet ${index}` });
    }),
  );
});

afterAll(async () => {
  await service.remove();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

if (!existsSync(python)) test.skip("the Python clients (need .ci/python-client)");

describe.each(clients.filter(([, [program = ""]]) => existsSync(program)))(
  "the %s client",
  (_language, command) => {
    let proxy: FaultyProxy | null = null;
    let client: DrivenClient | null = null;

    afterEach(async () => {
      client?.close();
      await proxy?.close();
    });

    /** Starts a client behind a proxy that breaks this share of requests. */
    function startClient(share: number, target = () => service.url, key?: string) {
      const random = seededRandom(11);
      const draw = (): Fault =>
        random() < share ? (faults[Math.floor(random() * faults.length)] ?? "pass") : "pass";
      return startedBehind(draw, target, key);
    }

    async function startedBehind(
      draw: (incoming: IncomingMessage) => Fault,
      target: () => string,
      key?: string,
    ) {
      proxy = await startFaultyProxy(target, draw);
      const own = key ?? (await service.makeKey());
      client = new DrivenClient(command, proxy.url, own);
      return { client, proxy, key: own };
    }

    const callRefusal = (call: Promise<unknown>): Promise<ClientError> =>
      call.then(
        () => Promise.reject(new Error("the call was not rejected")),
        (error: ClientError) => error,
      );

    test("the client can search, read all pages, count, submit, wait and cancel", async () => {
      const { client: driven } = await startClient(0);
      const page = await driven.call<{ results: unknown[]; next_cursor: string }>("search", {
        query: "comet",
        max_results: 20,
        fields: ["ID", "Content"],
      });
      expect(page.results).toHaveLength(20);
      expect(page.next_cursor).not.toBeNull();
      const all = await driven.call<{ ID: string }[]>("searchAll", {
        params: { query: "comet", max_results: 7 },
      });
      expect(new Set(all.map(({ ID }) => ID)).size).toBe(posts);
      const some = await driven.call<unknown[]>("searchAll", {
        params: { query: "comet", max_results: 7 },
        limit: 10,
      });
      expect(some).toHaveLength(10);
      const counts = await driven.call<{ meta: { total_tweet_count: number } }>("counts", {
        query: "comet",
      });
      expect(counts.meta.total_tweet_count).toBe(posts);
      const uuid = await driven.call<string>("submit", { query: "comet", max_results: 5 });
      const { records, status } = await driven.call<{
        records: unknown[];
        status: { status: string };
      }>("wait", { uuid });
      expect(records).toHaveLength(5);
      expect(status.status).toBe("done");
      await driven.call("cancel", { uuid });
      expect(await callRefusal(driven.call("status", { uuid }))).toMatchObject({ status: 404 });
    });

    test("the client reports an error response with its code and messages, and does not retry it", async () => {
      const { client: driven, proxy: faultyProxy } = await startClient(0);
      const refused = await callRefusal(driven.call("search", { query: "comet min_faves:many" }));
      expect(refused).toMatchObject({ kind: "refused", code: "invalid_query", status: 400 });
      expect(refused.errors?.[0]?.message).toContain("min_faves");
      expect(faultyProxy.requests()).toBe(1);
      const unknown = new DrivenClient(command, faultyProxy.url, "ear_wrong");
      expect(await callRefusal(unknown.call("search", { query: "a" }))).toMatchObject({
        status: 401,
      });
      unknown.close();
    });

    test("the client loses and repeats nothing in 1,000 searches with faults in a third of the requests", async () => {
      const { client: driven, key } = await startClient(1 / 3);
      const found = await Promise.all(
        Array.from({ length: 1_000 }, async (_, index) => {
          const page = await driven.call<{ uuid: string; results: { Content: string }[] }>(
            "search",
            {
              query: `comet ${index % posts}`,
              max_results: 1,
            },
          );
          expect(page.results.map(({ Content }) => Content)).toEqual([`comet ${index % posts}`]);
          return page.uuid;
        }),
      );
      expect(new Set(found).size).toBe(1_000);
      expect(await countJobs(key)).toBe(1_000);
    });

    test("the client reads all pages once, regardless of interruptions", async () => {
      const { client: driven } = await startClient(1 / 3);
      const all = await driven.call<{ ID: string }[]>("searchAll", {
        params: { query: "comet", max_results: 3 },
      });
      expect(all).toHaveLength(posts);
      expect(new Set(all.map(({ ID }) => ID)).size).toBe(posts);
    });

    test("the client sees the end of every job, regardless of how often the stream breaks", async () => {
      const { client: driven } = await startClient(1 / 4);
      const submitted = Array.from({ length: 40 }, () =>
        driven.call<string>("submit", { query: "comet" }),
      );
      const uuids = await Promise.all(submitted);
      const ended = await driven.call<{ uuid: string; status: string }[]>("eventsUntil", { uuids });
      expect(ended.map(({ uuid }) => uuid).sort()).toEqual([...uuids].sort());
      expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(["done"]));
    });

    test("the client watches a job until it ends, even if the stream is rejected or ends early", async () => {
      const streamFaults: Fault[] = ["unavailable", "busy", "end early", "end early"];
      const draw = ({ url = "" }: IncomingMessage): Fault =>
        url.includes("/events") ? (streamFaults.shift() ?? "pass") : "pass";
      const { client: used } = await startedBehind(draw, () => service.url);
      const uuid = await used.call<string>("submit", { query: "comet" });
      const states = await used.call<string[]>("watch", { uuid });
      expect(states.at(-1)).toBe("done");
      expect(streamFaults).toEqual([]);
      await used.call("cancel", { uuid });
      expect(await callRefusal(used.call("watch", { uuid }))).toMatchObject({ status: 404 });
    });

    test("the client continues after the server was killed and restarted", async () => {
      const folder = mkdtempSync(join(tmpdir(), "earshot-clients-"));
      folders.push(folder);
      const port = await freePort();
      let server = await startServer(folder, port);
      const { client: driven } = await startClient(0, () => `http://127.0.0.1:${port}`, server.key);
      const searches: Promise<{ uuid: string }>[] = [];
      for (let round = 0; round < 3; round += 1) {
        for (let n = 0; n < 30; n += 1) searches.push(driven.call("search", { query: `word${n}` }));
        await searches[searches.length - 20];
        const ended = new Promise((resolve) => server.child.once("exit", resolve));
        server.child.kill("SIGKILL");
        await ended;
        server = await startServer(folder, port);
      }
      const uuids = (await Promise.all(searches)).map(({ uuid }) => uuid);
      expect(new Set(uuids).size).toBe(90);
      await server.stop();
    });

    test("a call of the client with a timeout fails if the server cannot be reached", async () => {
      const { client: driven } = await startClient(1, () => "http://127.0.0.1:9");
      const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
      const late = await callRefusal(driven.call("wait", { uuid, timeoutMs: 700 }));
      expect(["timeout", "connection", "refused"]).toContain(late.kind);
    });

    test("the client can manage webhooks", async () => {
      const { client: driven } = await startClient(0);
      const call = <Value>(method: string, ids: string[] = [], params: object[] = []) =>
        driven.call<Value>("webhooks", { method, ids, params });
      type Named = { id: string; secret?: string };
      const hook = { url: "https://example.com/earshot", events: ["job.done"] };
      const { id, secret } = await call<Named>("create", [], [hook]);
      expect(secret).toMatch(/^whsec_/);
      expect(await call("list")).toMatchObject([{ id, ...hook }]);
      expect(await call("get", [id])).toMatchObject({ id, status: "enabled" });
      expect((await call<Named>("replaceSecret", [id])).secret).not.toBe(secret);
      expect(await call("enable", [id])).toMatchObject({ status: "enabled" });
      const delivery = await call<Named>("test", [id]);
      expect(await call("deliveries", [id])).toMatchObject([{ id: delivery.id }]);
      expect(await call("replay", [id, delivery.id])).toMatchObject({ id: delivery.id });
      await call("delete", [id]);
      expect(await callRefusal(call("get", [id]))).toMatchObject({ status: 404 });
    });

    test("the client reports that a result is not signed", async () => {
      const { client: driven } = await startClient(0);
      const uuid = await driven.call<string>("submit", { query: "comet" });
      await driven.call("wait", { uuid });
      const refused = await callRefusal(driven.call("proof", { uuid }));
      expect(refused).toMatchObject({ status: 404, code: "proof_not_found" });
    });

    test("the client can verify webhooks", async () => {
      const { client: driven } = await startClient(0);
      const secretBytes = Buffer.from("a secret of a webhook, 32 bytes!");
      const secret = `whsec_${secretBytes.toString("base64")}`;
      const body = JSON.stringify({
        type: "job.done",
        timestamp: "2026-01-31T12:00:00Z",
        data: {},
      });
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const sign = (at: string) =>
        `v1,${createHmac("sha256", secretBytes).update(`msg_1.${at}.${body}`).digest("base64")}`;
      const headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,AAAA ${sign(timestamp)}`,
      };
      expect(await driven.call("verifyWebhook", { secret, headers, body })).toMatchObject({
        type: "job.done",
      });
      const old = String(Number(timestamp) - 600);
      for (const wrong of [
        { secret, headers, body: `${body} ` },
        { secret: "whsec_AAAA", headers, body },
        {
          secret,
          body,
          headers: { ...headers, "webhook-timestamp": old, "webhook-signature": sign(old) },
        },
        { secret, body, headers: { "webhook-id": "msg_1", "webhook-timestamp": timestamp } },
      ]) {
        expect(await callRefusal(driven.call("verifyWebhook", wrong))).toMatchObject({
          kind: "other",
        });
      }
    });
  },
);

async function countJobs(key: string): Promise<number> {
  let jobs = 0;
  let cursor: string | null = null;
  do {
    const url: string = `/v1/search/live/social/jobs?limit=100${cursor === null ? "" : `&cursor=${cursor}`}`;
    const page: { jobs: unknown[]; next_cursor: string | null } = (
      await service.call(key, { method: "GET", url })
    ).json();
    jobs += page.jobs.length;
    cursor = page.next_cursor;
  } while (cursor !== null);
  return jobs;
}
