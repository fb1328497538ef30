import { expect, test } from "vitest";
import type { FetchedResponse, GuardedFetch } from "../../lib/guarded-fetch.ts";
import { streamingBase, streamUrl } from "./streaming-url.ts";

const serverWith =
  (answers: Readonly<Record<string, readonly [number, unknown]>>): GuardedFetch =>
  async (url) => {
    const [status, body] = answers[new URL(url).pathname] ?? [404, null];
    return { status, json: () => body } as FetchedResponse;
  };
const baseAt = async (server: string, answers: Parameters<typeof serverWith>[0]) => {
  const { signal } = new AbortController();
  return (await streamingBase({ server, fetch: serverWith(answers), signal })).href;
};
const v2Instance = (streaming: unknown) =>
  ({ "/api/v2/instance": [200, { configuration: { urls: { streaming } } }] }) as const;

test.each([
  ["https://a.example", "wss://streaming.a.example", "wss://streaming.a.example/"],
  ["https://a.example", "wss://a.example/stream/", "wss://a.example/stream"],
  ["https://a.example", "https://a.example", "wss://a.example/"],
  ["https://a.example:8443", "wss://a.example", "wss://a.example/"],
  ["https://a.example", "ws://streaming.a.example", "wss://streaming.a.example/"],
  ["http://127.0.0.1:3000", "wss://127.0.0.1:3000", "ws://127.0.0.1:3000/"],
  ["http://127.0.0.1:3000", "wss://127.0.0.1", "ws://127.0.0.1:3000/"],
  ["http://127.0.0.1:3000", "ws://127.0.0.1:4000", "ws://127.0.0.1:4000/"],
  ["http://127.0.0.1:3000", "wss://streaming.a.example", "wss://streaming.a.example/"],
])("a server %s that reports %s streams at %s", async (server, reported, expected) => {
  expect(await baseAt(server, v2Instance(reported))).toBe(expected);
});

test.each([
  ["nothing", {}],
  ["no address", v2Instance(12)],
  ["an address with another scheme", v2Instance("ftp://a.example")],
  ["an overlong address", v2Instance(`wss://a.example/${"x".repeat(3_000)}`)],
  ["no description", { "/api/v2/instance": [200, [null]] }],
  ["that it requires a signed-in user", { "/api/v2/instance": [401, {}] }],
] as const)("a server that reports %s streams at its own address", async (_what, answers) => {
  expect(await baseAt("https://a.example:8443", answers)).toBe("wss://a.example:8443/");
});

test("the v1 description of a server is read if there is no v2 description", async () => {
  const v1Instance = { urls: { streaming_api: "wss://streaming.a.example" } };
  expect(await baseAt("https://a.example", { "/api/v1/instance": [200, v1Instance] })).toBe(
    "wss://streaming.a.example/",
  );
});

test("reading the streaming address fails when the server is unavailable, so that the caller retries", async () => {
  await expect(baseAt("https://a.example", { "/api/v2/instance": [503, null] })).rejects.toThrow(
    "HTTP 503 from /api/v2/instance",
  );
});

test("each Mastodon stream has an address for each transport", () => {
  const base = new URL("wss://streaming.a.example/x");
  expect(streamUrl(base, "public:local", "websocket").href).toBe(
    "wss://streaming.a.example/x/api/v1/streaming?stream=public%3Alocal",
  );
  expect(streamUrl(base, "public", "event-stream").href).toBe(
    "https://streaming.a.example/x/api/v1/streaming/public",
  );
  expect(streamUrl(new URL("ws://127.0.0.1:3000"), "public:remote", "event-stream").href).toBe(
    "http://127.0.0.1:3000/api/v1/streaming/public/remote",
  );
});
