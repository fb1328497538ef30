import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  type StreamingServer,
  startStreamingServer,
} from "../../../testkit/emulators/mastodon/streaming.ts";
import { createGuard } from "../../lib/guard.ts";
import { createGuardedFetch, type GuardedClient } from "../../lib/guarded-fetch.ts";
import type { StreamConnection } from "./connection.ts";
import { openEventStream } from "./event-stream.ts";

let server: StreamingServer;
let client: GuardedClient;
let connection: StreamConnection | null = null;
let frames: string[];
let openCount: number;

const clientWith = (timeoutMs: number): GuardedClient =>
  createGuardedFetch({
    guard: createGuard([server.url]),
    userAgent: "earshot/test",
    timeoutMs,
    maxBytes: 1_000,
    maxRedirects: 0,
  });
const open = (path = "public", token = "good"): StreamConnection => {
  connection = openEventStream({
    url: new URL(`${server.url}/api/v1/streaming/${path}`),
    headers: { authorization: `Bearer ${token}` },
    maxFrameBytes: 1_000,
    client,
    onOpen: () => {
      openCount += 1;
    },
    onFrame: ({ data }) => frames.push(data.toString()),
  });
  return connection;
};
const eventually = (assertion: () => void): Promise<void> => vi.waitFor(assertion, { interval: 2 });
const waitUntilConnected = (): Promise<void> =>
  eventually(() => expect([openCount, server.connectionCount()]).toEqual([1, 1]));

beforeEach(async () => {
  server = await startStreamingServer({ isUserToken: (token) => token === "good" });
  client = clientWith(5_000);
  frames = [];
  openCount = 0;
});
afterEach(async () => {
  connection?.close();
  connection = null;
  await client.close();
  await server.closeServer();
});

test("each server-sent event is a frame", async () => {
  open();
  await waitUntilConnected();
  server.thump();
  server.sendEvent("delete", "12");
  server.sendEvent("update", { id: "1" });
  await eventually(() => expect(frames).toHaveLength(2));
  expect(frames.map((frame) => JSON.parse(frame))).toEqual([
    { event: "delete", payload: "12" },
    { event: "update", payload: '{"id":"1"}' },
  ]);
});

test("the event stream reports why it ended", async () => {
  const { closed } = open();
  await waitUntilConnected();
  server.stop();
  expect(await closed).toEqual({
    reason: "closed by the server",
    status: null,
    frameTooLarge: false,
  });
});

test.each([
  ["an invalid token", "public", "bad", 401],
  ["an unknown stream", "nothing", "good", 404],
])("a request with %s is reported with only its status", async (_what, path, token, status) => {
  expect(await open(path, token).closed).toEqual({
    reason: `HTTP ${status}`,
    status,
    frameTooLarge: false,
  });
  expect(openCount).toBe(0);
});

test("a response with another content type ends the event stream", async () => {
  server.instance = { a: 1 };
  connection = openEventStream({
    url: new URL(`${server.url}/api/v2/instance`),
    maxFrameBytes: 1_000,
    client,
    onOpen: () => {},
    onFrame: () => {},
  });
  expect(await connection.closed).toMatchObject({ status: 200 });
});

test("an oversized event ends the event stream", async () => {
  const { closed } = open();
  await waitUntilConnected();
  server.sendEvent("update", "x".repeat(2_000));
  expect(await closed).toMatchObject({ frameTooLarge: true });
  expect(frames).toEqual([]);
});

test("a paused event stream delivers nothing until it is resumed, then everything", async () => {
  const { pause, resume } = open();
  await waitUntilConnected();
  pause();
  for (let n = 1; n < 10; n += 1) {
    server.sendEvent("delete", `${n}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(frames).toEqual([]);
  resume();
  await eventually(() => expect(frames).toHaveLength(9));
});

test("an event stream without any traffic is closed", async () => {
  await client.close();
  client = clientWith(100);
  const { closed } = open();
  await waitUntilConnected();
  expect((await closed).reason).toContain("timed out");
});

test("closing ends the event stream, even before it is open", async () => {
  const { closed, close } = open();
  close();
  expect(await closed).toMatchObject({ frameTooLarge: false });
  expect(frames).toEqual([]);
});
