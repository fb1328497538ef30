import { METHODS } from "node:http";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { type Route, routes, watchingFastify } from "../../testkit/service/watched-routes.ts";

vi.mock("fastify", async (importOriginal) => watchingFastify(await importOriginal()));

const publicPaths = [
  "/",
  "/.well-known/oauth-authorization-server",
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/mcp",
  "/auth/:provider",
  "/auth/:provider/callback",
  "/dashboard",
  "/dashboard/*",
  "/dashboard/assets/:file",
  "/dashboard/favicon.svg",
  "/dashboard/logo.svg",
  "/dashboard/theme.js",
  "/docs",
  "/docs/:page",
  "/docs/decisions/:record",
  "/docs/errors",
  "/docs/errors/:code",
  "/docs/reference",
  "/docs/reference/:page",
  "/docs/search.json",
  "/internal/nodes/challenge",
  "/internal/nodes/register",
  "/livez",
  "/llms.txt",
  "/metrics",
  "/oauth/revoke",
  "/oauth/token",
  "/openapi.json",
  "/readyz",
  "/status",
  "/v1/attestation/policy",
  "/v1/attestations/:id",
  "/v1/nodes",
  "/v1/status",
];

/** These paths authenticate requests by signatures. */
const nodePaths = "/internal/nodes/";

/** Parameters that do not identify a resource. */
const plainInputs = [
  "end_time",
  "granularity",
  "limit",
  "method",
  "platform",
  "query",
  "start_time",
  "state",
  "status",
  "wait",
];

/** No process listens at this address. */
const nowhere = "http://127.0.0.1:2";

let service: ServiceUnderTest;
let owner: string;
let outsider: string;
/** Values of each path parameter. */
let resources: Record<string, { owned: string; unknown: string }>;
let cursor: string;
let ownWebhook: string;
let testedRoutes: readonly Route[];

beforeAll(async () => {
  service = await startServiceUnderTest({
    EARSHOT_WEBHOOK_ALLOW_HTTP: "on",
    EARSHOT_WEBHOOK_PRIVATE_HOSTS: nowhere,
  });
  [owner, outsider] = [await service.makeKey(), await service.makeKey()];
  const createdMs = service.clock.now() - 3_600_000;
  await service.addPosts(
    Array.from({ length: 5 }, (_, n) => makePost({ key: `k${n}`, createdMs, text: "comet" })),
  );
  const { uuid } = (await service.submit(owner, search("comet", { max_results: 2 }))).json();
  cursor = String((await service.result(owner, uuid)).headers["x-next-cursor"]);
  const webhook = await makeWebhook(owner);
  ownWebhook = await makeWebhook(outsider);
  const delivery = (await post(owner, `/v1/webhooks/${webhook}/test`, {})).json();
  resources = {
    uuid: { owned: uuid, unknown: "0f8fad5b-d9cb-469f-a165-70867728950e" },
    id: { owned: webhook, unknown: "wh_4fK2nQ7sVd81LmXzRt0B" },
    delivery: { owned: delivery.id, unknown: "msg_9b74c9897bac770ffc029102a200c5de" },
  };
  testedRoutes = await workingRoutes();
});
afterAll(() => service.remove());

function post(key: string, url: string, payload: object) {
  return service.call(key, { method: "POST", url, payload });
}

async function makeWebhook(key: string): Promise<string> {
  const created = await post(key, "/v1/webhooks", { url: `${nowhere}/hook` });
  return created.json().id;
}

function request({ method }: Route, key: string | null, path: string) {
  return service.call(key, { method: method as "GET", url: path });
}

function makePath({ url }: Route, which: "owned" | "unknown"): string {
  return url.replaceAll(/:(\w+)/g, (_, name: string) =>
    name === "platform" ? "social" : (resources[name]?.[which] ?? "nothing"),
  );
}

/** The path parameters that identify a resource. */
function listNames({ url }: Route): string[] {
  if (publicPaths.includes(url)) return [];
  return [...url.matchAll(/:(\w+)/g)].flatMap(([, name = ""]) => (name === "platform" ? [] : name));
}

/** The response without request ids and with resource ids masked. */
async function answerTo(route: Route, key: string, path: string) {
  const response = await request(route, key, path);
  let text = response.body.replace(/"request_id":"[^"]*"/, "");
  for (const [name, { owned, unknown }] of Object.entries(resources)) {
    text = text.replaceAll(owned, name).replaceAll(unknown, name);
  }
  return { status: response.statusCode, fields: Object.keys(response.headers).sort(), text };
}

async function workingRoutes(): Promise<Route[]> {
  const found: Route[] = [];
  for (const route of routes) {
    // Dashboard routes take sessions: dashboard-isolation.test.ts.
    if (route.url.startsWith("/dashboard/api/") || !METHODS.includes(route.method)) continue;
    const response = await request(route, null, makePath(route, "unknown"));
    if (response.statusCode !== 405 && route.method !== "OPTIONS") found.push(route);
  }
  return found;
}

test("every route but the public ones requires a key", async () => {
  const open = new Set<string>();
  for (const route of testedRoutes) {
    const path = makePath(route, "unknown");
    for (const key of [null, `${owner}x`, "", "ear_"]) {
      const response = await request(route, key, path);
      if (response.statusCode !== 401) open.add(route.url);
      else expect(response.headers["www-authenticate"]).toContain(getScheme(route));
    }
  }
  expect([...open].sort()).toEqual(publicPaths);
});

const getScheme = ({ url }: Route) => (url.startsWith(nodePaths) ? "Signature" : "Bearer");

test("every parameter that identifies a resource is tried with another account's value", async () => {
  const unknownNames = testedRoutes.flatMap(listNames).filter((name) => !(name in resources));
  expect(unknownNames, "beforeAll creates a resource for each path parameter").toEqual([]);
  const inputs = new Set(testedRoutes.flatMap((route) => route.inputs));
  const resourceInputs = [...inputs].filter((name) => !plainInputs.includes(name)).sort();
  expect(resourceInputs).toEqual(["cursor", "next_token", "uuid"]);
});

test("another account's resources look like unknown ones, on every route", async () => {
  const tried: string[] = [];
  for (const route of testedRoutes) {
    if (listNames(route).length === 0) continue;
    const [foreign, absent] = [makePath(route, "owned"), makePath(route, "unknown")];
    for (const ending of route.inputs.includes("wait") ? ["", "?wait=1", "?wait=0"] : [""]) {
      const expected = await answerTo(route, outsider, `${absent}${ending}`);
      const actual = await answerTo(route, outsider, `${foreign}${ending}`);
      expect(actual, `${route.method} ${route.url}${ending}`).toEqual(expected);
      expect(actual.status, `${route.method} ${route.url}`).toBe(ending === "?wait=0" ? 400 : 404);
    }
    tried.push(`${route.method} ${route.url}`);
  }
  expect(tried).toContain("GET /v1/search/live/:platform/status/:uuid");
  // The owner's data is unchanged.
  expect((await service.result(owner, String(resources.uuid?.owned))).json()).toHaveLength(2);
  const url = `/v1/webhooks/${resources.id?.owned}`;
  const webhook = await service.call(owner, { method: "GET", url });
  expect(webhook.json()).toMatchObject({ status: "enabled", former_secret_until: null });
  const deliveries = await service.call(owner, { method: "GET", url: `${url}/deliveries` });
  expect(deliveries.json().deliveries).toHaveLength(1);
});

test("another account's delivery does not exist under one's own webhook", async () => {
  const route = { method: "POST", url: "", inputs: [] };
  const pathTo = (delivery?: string) => `/v1/webhooks/${ownWebhook}/deliveries/${delivery}/replay`;
  const absent = await answerTo(route, outsider, pathTo(resources.delivery?.unknown));
  expect(absent.status).toBe(404);
  expect(await answerTo(route, outsider, pathTo(resources.delivery?.owned))).toEqual(absent);
});

test("the event stream of another account's job is rejected like that of an unknown job", async () => {
  const route = { method: "GET", url: "", inputs: [] };
  const pathTo = (uuid?: string) => `/v1/search/live/social/events?uuid=${uuid}`;
  const absent = await answerTo(route, outsider, pathTo(resources.uuid?.unknown));
  expect(absent.status).toBe(404);
  expect(await answerTo(route, outsider, pathTo(resources.uuid?.owned))).toEqual(absent);
});

test("lists never contain another account's entries, even with its cursor", async () => {
  await service.submit(owner, search("kites"));
  const list = (key: string, query: string) =>
    service.call(key, { method: "GET", url: `/v1/search/live/jobs?limit=1${query}` });
  const { next_cursor: position } = (await list(owner, "")).json();
  expect(position).not.toBeNull();
  for (const query of ["", `&cursor=${position}`]) {
    expect((await list(outsider, query)).body).not.toContain(resources.uuid?.owned);
  }
  const webhooks = await service.call(outsider, { method: "GET", url: "/v1/webhooks" });
  expect(webhooks.json().webhooks.map(({ id }: { id: string }) => id)).toEqual([ownWebhook]);
});

test("above the rate, reading another account's job fails like reading an unknown one", async () => {
  const route = { method: "GET", url: "/v1/search/live/:platform/status/:uuid", inputs: [] };
  const slow = await service.makeKey({ requestsPerSecond: 1 });
  await request(route, slow, makePath(route, "unknown"));
  const absent = await answerTo(route, slow, makePath(route, "unknown"));
  const foreign = await answerTo(route, slow, makePath(route, "owned"));
  expect(absent.status).toBe(429);
  expect(foreign).toEqual(absent);
});

describe("a cursor of another account", () => {
  test("a cursor of another account is rejected like a cursor of a different search and reveals nothing", async () => {
    const own = (await service.submit(outsider, search("comet", { max_results: 2 }))).json();
    const ownCursor = (await service.result(outsider, own.uuid)).headers["x-next-cursor"];
    const actual = await service.submit(outsider, search("comet", { next_cursor: cursor }));
    const expected = await service.submit(outsider, search("kites", { next_cursor: ownCursor }));
    expect(actual.statusCode).toBe(400);
    const { request_id: _given, ...refusal } = actual.json();
    const { request_id: _expected, ...refusalOfOwn } = expected.json();
    expect(refusal).toEqual(refusalOfOwn);
  });
});
