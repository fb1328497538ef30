import { once } from "node:events";
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { JobChange } from "../../src/jobs/job.ts";
import { connectTo } from "../../testkit/service/connect-to.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";

let service: ServiceUnderTest;
const base = "/v1/search/live/social";

beforeAll(async () => {
  service = await startServiceUnderTest({
    EARSHOT_NODE_CONCURRENCY: "0",
    EARSHOT_MAX_WAITING_REQUESTS: "2",
  });
});
afterEach(() => {
  for (const disconnect of open.splice(0)) disconnect();
});
afterAll(() => service.remove());

const open: (() => void)[] = [];

test("event streams are excluded from the request duration metric", async () => {
  const apiKey = await service.makeKey();
  const uuid = await submit(apiKey);
  await cancel(apiKey, uuid);
  for (const requested of [uuid, "wrong"]) {
    await service.call(apiKey, { method: "GET", url: `${base}/events?uuid=${requested}` });
  }
  const lines = (await service.context.http.metrics.text()).split("\n");
  const measured = lines.filter(
    (line) =>
      line.startsWith("earshot_http_request_duration_seconds_count") && line.includes("/events"),
  );
  expect(measured).toEqual([expect.stringContaining('status_class="4xx"')]);
});

test("docs/api.md shows an event stream as the server sends it", async () => {
  const page = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  const [, shown = ""] = /^## Watch jobs\n[\s\S]*?```\n(retry[\s\S]*?)```/m.exec(page) ?? [];
  const masked = (text: string) =>
    text
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "uuid")
      .replaceAll(/^id: \d+$/gm, "id: n")
      .replaceAll(/"at":"[^"]+Z"/g, '"at":"time"');
  const apiKey = await service.makeKey();
  const uuid = await submit(apiKey);
  const stream = await watch(apiKey);
  const { token } = await getLease(uuid);
  await waitForStatus(stream, "in progress");
  await service.context.queue.complete(uuid, token, emptyResult);
  await waitForStatus(stream, "done");
  expect(masked(stream.text())).toBe(`${masked(shown)}\n`);
});

type Event = { id: number | null; uuid: string; status: string; attempts: number; at: string };

async function watch(
  apiKey: string,
  parameters = "",
  headers: Record<string, string> = {},
  path = `${base}/events`,
) {
  const response = await service.call(apiKey, {
    method: "GET",
    url: `${path}${parameters}`,
    headers,
    payloadAsStream: true,
  });
  const stream = response.stream();
  stream.on("error", () => undefined).setEncoding("utf8");
  let text = "";
  stream.on("data", (more: string) => {
    text += more;
  });
  const ended = new Promise<void>((resolve) => stream.once("close", resolve));
  const disconnect = () => response.raw.res.destroy();
  open.push(disconnect);

  return {
    response,
    ended,
    disconnect,
    text: () => text,
    events: () => eventsIn(text),
    /** The first `count` complete events. */
    first: async (count: number) => {
      while (eventsIn(text).length < count) {
        if (stream.destroyed) throw new Error(`the stream ended after ${text}`);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return eventsIn(text);
    },
  };
}

/** A stream may omit a state that ends before it is read. */
async function waitForStatus(
  stream: Awaited<ReturnType<typeof watch>>,
  status: string,
): Promise<void> {
  for (let count = 1; (await stream.first(count)).at(-1)?.status !== status; count++);
}

function eventsIn(text: string): Event[] {
  return text
    .split("\n\n")
    .slice(0, -1)
    .filter((block) => block.includes("data:"))
    .map((block) => {
      const id = /^id: (\d+)$/m.exec(block)?.[1];
      expect(block).toMatch(/^event: job$/m);
      return {
        id: id === undefined ? null : Number(id),
        ...JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "null"),
      };
    });
}

const submit = async (apiKey: string): Promise<string> =>
  (await service.submit(apiKey, search("comet"))).json().uuid;

const cancel = (apiKey: string, uuid: string) =>
  service.call(apiKey, { method: "DELETE", url: `${base}/status/${uuid}` });

const isEnd = (status: string) => ["done", "error", "cancelled"].includes(status);

const failure = { code: "internal", message: "internal error", status: 500, retryable: true };

async function getLease(uuid: string) {
  const node = { nodeId: "test", methods: ["searchbyquery"] };
  for (;;) {
    const lease = await service.context.queue.lease(node, 5_000);
    if (lease === null) throw new Error("no job is waiting");
    if (lease.uuid === uuid) return lease;
    await service.context.queue.fail(lease.uuid, lease.token, { ...failure, retryable: false });
  }
}

const emptyResult = {
  items: [],
  next: null,
  complete: true,
  coverage: { fromMs: null, toMs: 0, complete: true, gaps: [], truncated: false, platforms: [] },
  sources: [],
  warnings: [],
};

describe("the event stream of an account", () => {
  test("the event stream of an account reports every state change of its jobs in order, from now on", async () => {
    const apiKey = await service.makeKey();
    await cancel(apiKey, await submit(apiKey));
    const stream = await watch(apiKey);
    expect(stream.response.statusCode).toBe(200);
    expect(stream.response.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "private, no-store",
    });
    expect(stream.response.headers.ratelimit).toContain('"burst";r=');
    const uuid = await submit(apiKey);
    await waitForStatus(stream, "received");
    const { token } = await getLease(uuid);
    await waitForStatus(stream, "in progress");
    await service.context.queue.complete(uuid, token, emptyResult);
    const events = await stream.first(3);
    expect(events.map((event) => event.uuid)).toEqual([uuid, uuid, uuid]);
    expect(events.map(({ status, attempts }) => [status, attempts])).toEqual([
      ["received", 0],
      ["in progress", 1],
      ["done", 1],
    ]);
    for (const { at } of events) expect(new Date(at).toISOString()).toBe(at);
    const ids = stream.events().map(({ id }) => id ?? 0);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(stream.text().startsWith("retry: 3000\n\n")).toBe(true);
  });

  test("the event stream of an account sends a reconnecting client the changes since Last-Event-ID, then new ones", async () => {
    const apiKey = await service.makeKey();
    const [ended, running] = [await submit(apiKey), await submit(apiKey)];
    const all = await watch(apiKey, "", { "last-event-id": "0" });
    const [first] = await all.first(2);
    all.disconnect();
    await cancel(apiKey, ended);
    const again = await watch(apiKey, "", { "last-event-id": String(first?.id) });
    const caughtUp = await again.first(2);
    expect(caughtUp.map(({ uuid, status }) => [uuid, status])).toEqual([
      [running, "received"],
      [ended, "cancelled"],
    ]);
    await cancel(apiKey, running);
    expect((await again.first(3)).at(-1)).toMatchObject({ uuid: running, status: "cancelled" });
    again.disconnect();
    const last = await watch(apiKey, "", { "last-event-id": String(again.events().at(-1)?.id) });
    const later = await submit(apiKey);
    expect((await last.first(1))[0]).toMatchObject({ uuid: later, status: "received" });
  });

  test("the event stream of an account reports the end of every job to a client whose connection breaks repeatedly", async () => {
    const apiKey = await service.makeKey();
    const uuids = new Set<string>();
    const lastEvents = new Map<string, Event>();
    let last = 0;
    async function work(): Promise<void> {
      for (let count = 0; count < 20; count++) {
        const uuid = await submit(apiKey);
        uuids.add(uuid);
        if (count % 3 === 0) {
          await cancel(apiKey, uuid);
          continue;
        }
        const { token } = await getLease(uuid);
        await service.context.queue.complete(uuid, token, emptyResult);
      }
    }
    async function follow(): Promise<void> {
      while ([...lastEvents.values()].filter(({ status }) => isEnd(status)).length < 20) {
        const stream = await watch(apiKey, "", { "last-event-id": String(last) });
        for (const event of (await stream.first(1)).slice(0, 4)) {
          expect(event.id).toBeGreaterThan(last);
          last = event.id ?? last;
          lastEvents.set(event.uuid, event);
        }
        stream.disconnect();
        await stream.ended;
      }
    }
    await Promise.all([work(), follow()]);
    expect(new Set(lastEvents.keys())).toEqual(uuids);
    const { jobs } = (
      await service.call(apiKey, { method: "GET", url: `${base}/jobs?limit=100` })
    ).json();
    for (const { uuid, status } of jobs) expect(lastEvents.get(uuid)?.status).toBe(status);
  });

  test("the event stream of an account ignores a Last-Event-ID beyond the account's latest change", async () => {
    const apiKey = await service.makeKey();
    await submit(apiKey);
    const stream = await watch(apiKey, "", { "last-event-id": "999999999999999" });
    const uuid = await submit(apiKey);
    expect(await stream.first(1)).toMatchObject([{ uuid, status: "received" }]);
  });

  test("the event stream of an account contains only the account's own jobs, on any platform path", async () => {
    const [apiKey, outsider] = [await service.makeKey(), await service.makeKey()];
    const stream = await watch(apiKey, "", { "last-event-id": "0" }, "/v1/search/live/events");
    const foreign = await submit(outsider);
    const uuid = await submit(apiKey);
    expect((await stream.first(1))[0]).toMatchObject({ uuid });
    const other = await watch(apiKey, "", { "last-event-id": "0" }, "/v1/search/live/x/events");
    expect((await other.first(1))[0]).toMatchObject({ uuid });
    expect(stream.text()).not.toContain(foreign);
  });

  test.each(["x", "-1", "1.5", "1e3", "9".repeat(16), " 1"])(
    "the event stream of an account rejects Last-Event-ID %j and names the header",
    async (id) => {
      const apiKey = await service.makeKey();
      const response = await service.call(apiKey, {
        method: "GET",
        url: `${base}/events`,
        headers: { "last-event-id": id },
      });
      expect(response.statusCode).toBe(400);
      expect(response.json().errors[0].pointer).toBe("/last-event-id");
    },
  );

  test("the event stream of an account returns only headers for HEAD, immediately", async () => {
    const apiKey = await service.makeKey();
    const response = await service.call(apiKey, { method: "HEAD", url: `${base}/events` });
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    expect(response.body).toBe("");
  });
});

describe("the event stream of one job", () => {
  test("the event stream of one job begins with the job's state and closes after its last", async () => {
    const apiKey = await service.makeKey();
    const [uuid, other] = [await submit(apiKey), await submit(apiKey)];
    const stream = await watch(apiKey, `?uuid=${uuid.toUpperCase()}`);
    expect(await stream.first(1)).toMatchObject([{ id: null, uuid, status: "received" }]);
    await cancel(apiKey, other);
    await getLease(uuid);
    await waitForStatus(stream, "in progress");
    await cancel(apiKey, uuid);
    await stream.ended;
    expect(stream.events().map((event) => [event.uuid, event.status])).toEqual([
      [uuid, "received"],
      [uuid, "in progress"],
      [uuid, "cancelled"],
    ]);
  });

  test("the event stream of one job has a single event when the job has ended", async () => {
    const apiKey = await service.makeKey();
    const uuid = await submit(apiKey);
    await cancel(apiKey, uuid);
    const stream = await watch(apiKey, `?uuid=${uuid}`, { "last-event-id": "7" });
    await stream.ended;
    expect(stream.events()).toMatchObject([{ id: null, uuid, status: "cancelled" }]);
  });

  test("the event stream of another account's job returns the same 404 as that of an unknown one", async () => {
    const [apiKey, outsider] = [await service.makeKey(), await service.makeKey()];
    const uuid = await submit(apiKey);
    const bodies = new Set<string>();
    for (const id of [uuid, "0f8fad5b-d9cb-469f-a165-70867728950e", "nonsense", ""]) {
      for (const path of [`${base}/events`, "/v1/search/live/events"]) {
        const url = `${path}?uuid=${id}`;
        const response = await service.call(outsider, { method: "GET", url });
        expect(response.statusCode).toBe(404);
        bodies.add(JSON.stringify({ ...response.json(), request_id: "" }));
      }
    }
    expect(bodies.size).toBe(1);
  });
});

describe("an open stream", () => {
  test("an open event stream counts as a waiting request of its key until the client disconnects", async () => {
    const apiKey = await service.makeKey();
    const streams = [await watch(apiKey), await watch(apiKey)];
    await service.waitForPending(2);
    const refused = await service.call(apiKey, { method: "GET", url: `${base}/events` });
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject({ code: "rate_limited", retryable: true });
    expect(refused.headers["retry-after"]).toBe("1");
    const uuid = await submit(apiKey);
    const result = await service.result(apiKey, uuid);
    expect(result.statusCode).toBe(202);
    for (const stream of streams) stream.disconnect();
    await service.waitForPending(0);
    const again = await watch(apiKey);
    expect(again.response.statusCode).toBe(200);
    again.disconnect();
    await service.waitForPending(0);
  });

  test("an open event stream closes when the client closes its connection", async () => {
    const apiKey = await service.makeKey();
    const socket = await openRaw(service, apiKey);
    await service.waitForPending(1);
    socket.destroy();
    await service.waitForPending(0);
  });

  test("an open event stream ends after its maximum duration, even if the client does not read", async () => {
    const other = await startServiceUnderTest({ EARSHOT_MAX_STREAM_TIME: "1s" });
    try {
      const apiKey = await other.makeKey();
      const socket = (await openRaw(other, apiKey)).setEncoding("utf8");
      let text = "";
      socket.on("data", (more: string) => {
        text += more;
      });
      const closed = once(socket, "close");
      await once(socket, "data");
      const stuck = await openUnread(other, apiKey);
      await closed;
      expect(text).toMatch(/^connection: close\r$/im);
      expect(text.endsWith("\r\nretry: 3000\n\n\r\n0\r\n\r\n")).toBe(true);
      await other.waitForPending(0);
      stuck.destroy();
    } finally {
      await other.remove();
    }
  });

  test("an open event stream reads no more events than its client accepts", async () => {
    const apiKey = await service.makeKey();
    const stuck = await openUnread(service, apiKey);
    stuck.destroy();
    await service.waitForPending(0);
  });
});

test("event streams and waiting submissions end immediately when the server stops, even for clients that do not read", async () => {
  const other = await startServiceUnderTest({
    EARSHOT_NODE_CONCURRENCY: "0",
    EARSHOT_STOP_GRACE: "60s",
  });
  try {
    const apiKey = await other.makeKey();
    const headers = { authorization: `Bearer ${apiKey}` };
    const watched = fetch(`${other.url}${base}/events`, {
      headers: { ...headers, "last-event-id": "0" },
    });
    const submission = fetch(`${other.url}${base}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", prefer: "wait=30" },
      body: JSON.stringify(search("comet")),
    });
    await other.waitForPending(2);
    const stuck = await openUnread(other, apiKey);
    const start = performance.now();
    await other.stop();
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(await (await watched).text()).toContain('"status":"received"');
    const response = await submission;
    expect(response.status).toBe(202);
    expect(response.headers.get("preference-applied")).toBeNull();
    expect(Object.keys((await response.json()) as object)).toEqual(["uuid", "error"]);
    stuck.destroy();
  } finally {
    await other.remove();
  }
});

/** Opens a stream that has more events than a connection buffers, and does not read it. */
async function openUnread(target: ServiceUnderTest, apiKey: string) {
  const { jobs } = target.context.http;
  const { changes } = jobs;
  const max = 100_000;
  let sent = 0;
  async function* endless(): AsyncGenerator<JobChange> {
    for (; sent < max; sent++) {
      yield { id: sent, uuid: "a".repeat(2_000), state: "received", attempts: 0, atMs: 0 };
    }
  }
  jobs.changes = async () => endless();
  const socket = (await openRaw(target, apiKey)).pause();
  let before = 0;
  await until("the connection takes no more", () => {
    const isFull = sent > 0 && sent === before;
    before = sent;
    return isFull ? true : null;
  });
  expect(sent).toBeLessThan(max);
  jobs.changes = changes;
  return socket;
}

async function openRaw(target: ServiceUnderTest, apiKey: string) {
  const socket = await connectTo(target.url);
  socket.on("error", () => undefined);
  socket.write(
    `GET ${base}/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\nLast-Event-ID: 0\r\n\r\n`,
  );
  return socket;
}
