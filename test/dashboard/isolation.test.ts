import { METHODS } from "node:http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { authorizationCode } from "../../src/accounts/grants/grant-tokens.ts";
import { storeNode } from "../../testkit/nodes/stored-node.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";
import { type Route, routes, watchingFastify } from "../../testkit/service/watched-routes.ts";

vi.mock("fastify", async (importOriginal) => watchingFastify(await importOriginal()));

const base = "/dashboard/api/";

/** Routes that need no session. */
const publicPaths = ["/dashboard/api/session", "/dashboard/api/sign-in"];

let service: ServiceUnderTest;
let owner: TestSession;
let outsider: TestSession;
let operator: TestSession;
let existingRoutes: readonly Route[];
/** IDs of the owner's resources, by path. */
let owned: Record<string, string>;
const unknown = "4fK2nQ7sVd81";

beforeAll(async () => {
  service = await startServiceUnderTest({ EARSHOT_DASHBOARD_REQUESTS_PER_SECOND: "1000" });
  owner = await service.signIn();
  outsider = await service.signIn();
  operator = await service.signIn({ role: "operator" });
  const other = await service.signIn({ accountId: owner.accountId });
  const created = await service.callAs(owner, {
    method: "POST",
    url: `${base}keys`,
    payload: { name: "theirs" },
  });
  owned = {
    apps: await connectApp(owner.accountId),
    keys: created.json().key.id,
    sessions: other.id,
    accounts: owner.accountId,
    credentials: await storeCredential(owner.accountId),
    authorizations: unknown,
    nodes: await storeTestNode(),
  };
  existingRoutes = await findExistingRoutes();
});
afterAll(() => service.remove());

async function connectApp(accountId: string): Promise<string> {
  const nowMs = service.clock.now();
  const code = await service.context.store.write("createGrant", {
    accountId,
    clientId: "https://app.example/client.json",
    clientName: "App",
    redirectUri: "https://app.example/callback",
    resource: "https://earshot.example/mcp",
    methods: ["searchbyquery"],
    codeChallenge: "c".repeat(43),
    codeMs: 60_000,
    nowMs,
  });
  return authorizationCode.parse(code)?.id ?? "";
}

async function storeCredential(accountId: string): Promise<string> {
  const id = "cr1dential0";
  await service.context.store.write("putCredential", {
    id,
    accountId,
    platform: "x",
    kind: "bearer",
    host: "https://api.x.com",
    subject: null,
    subjectName: null,
    hint: "AAAA",
    encryptedSecret: Buffer.from("sealed"),
    maxOfOwner: 5,
    nowMs: service.clock.now(),
  });
  return id;
}

async function storeTestNode(): Promise<string> {
  const id = "5d1f0c2ab37e9946";
  await storeNode(service, { id });
  return id;
}

async function findExistingRoutes(): Promise<Route[]> {
  const found: Route[] = [];
  for (const route of routes) {
    if (!route.url.startsWith(base) || !METHODS.includes(route.method)) continue;
    const { statusCode } = await service.app.inject(requestTo(route, unknown));
    if (statusCode !== 405 && route.method !== "OPTIONS") found.push(route);
  }
  return found;
}

const requestTo = ({ method, url }: Route, id: string) => ({
  method: method as "GET",
  url: url.replace(":id", id),
});

/** The kind of resource that the `:id` of a path identifies. */
const findResource = ({ url }: Route): string =>
  url.split("/").at(url.split("/").indexOf(":id") - 1) ?? "";

test("each dashboard path requires a session, and rejects keys and wrong cookies", async () => {
  const key = await service.makeKey();
  const open = new Set<string>();
  for (const route of existingRoutes) {
    const headers = [{}, { authorization: `Bearer ${key}` }, { cookie: "earshot=nobody" }];
    for (const header of headers) {
      const response = await service.app.inject({ ...requestTo(route, unknown), headers: header });
      // A cookie without its CSRF token changes nothing.
      const isForged = "cookie" in header && route.method !== "GET" && response.statusCode === 403;
      if (response.statusCode !== 401 && !isForged) open.add(route.url);
      expect(response.headers["cache-control"], route.url).toBe("private, no-store");
    }
  }
  expect([...open].sort()).toEqual(publicPaths);
  expect(existingRoutes.length).toBeGreaterThan(20);
});

test("another account's resources get the same response as missing ones", async () => {
  const tried: string[] = [];
  for (const route of existingRoutes) {
    if (!route.url.includes(":id")) continue;
    const resource = findResource(route);
    expect(owned, `beforeAll must create a resource for ${route.url}`).toHaveProperty(resource);
    const payload = { name: "mine", overlap_hours: 0, answer: "x", confirm: "x", suspended: true };
    for (const body of [{}, payload]) {
      const request = async (id: string) => {
        const response = await service.callAs(outsider, { ...requestTo(route, id), payload: body });
        const text = response.body.replace(/"request_id":"[^"]*"/, "").replaceAll(id, "ID");
        return { status: response.statusCode, text };
      };
      const answer = await request(String(owned[resource]));
      expect(answer, `${route.method} ${route.url}`).toEqual(await request(unknown));
      expect([400, 404], `${route.method} ${route.url}`).toContain(answer.status);
    }
    tried.push(`${route.method} ${route.url}`);
  }
  expect(tried).toContain("DELETE /dashboard/api/keys/:id");
  const keys = await service.callAs(owner, { method: "GET", url: `${base}keys` });
  expect(keys.json().keys).toMatchObject([{ name: "theirs", state: "active" }]);
  const sessions = await service.callAs(owner, { method: "GET", url: `${base}sessions` });
  expect(sessions.json().sessions).toHaveLength(2);
  const credentials = await service.callAs(owner, { method: "GET", url: `${base}credentials` });
  expect(credentials.json().credentials).toHaveLength(1);
});

test("the usage of another account's key is rejected like that of an unknown key", async () => {
  const fetchUsage = async (id: string) => {
    const url = `${base}usage?range=24h&key=${id}`;
    const { statusCode, body } = await service.callAs(outsider, { method: "GET", url });
    return { statusCode, body: body.replace(/"request_id":"[^"]*"/, "").replaceAll(id, "ID") };
  };
  const absent = await fetchUsage(unknown.slice(0, 8));
  expect(absent.statusCode).toBe(404);
  expect(await fetchUsage(String(owned.keys))).toEqual(absent);
});

test("the operator's paths look like unknown ones to everyone else", async () => {
  const ofOperator = existingRoutes.filter(({ url }) => url.startsWith(`${base}operator/`));
  expect(ofOperator.length).toBeGreaterThan(3);
  for (const route of ofOperator) {
    const refused = await service.callAs(outsider, {
      ...requestTo(route, owner.accountId),
      payload: {},
    });
    expect(refused.statusCode, `${route.method} ${route.url}`).toBe(404);
  }
  const seen = await service.callAs(operator, { method: "GET", url: `${base}operator/accounts` });
  expect(seen.statusCode).toBe(200);
});

test("every request that changes something needs the session's token and the service's own origin", async () => {
  for (const route of existingRoutes) {
    if (["GET", "HEAD"].includes(route.method) || publicPaths.includes(route.url)) continue;
    const [withoutToken, fromOtherOrigin] = await Promise.all([
      service.callAs(owner, { ...requestTo(route, unknown), headers: { "x-earshot-csrf": "" } }),
      service.callAs(owner, {
        ...requestTo(route, unknown),
        headers: { origin: "https://other.example" },
      }),
    ]);
    for (const { statusCode, body } of [withoutToken, fromOtherOrigin]) {
      expect(statusCode, `${route.method} ${route.url}`).toBe(403);
      expect(JSON.parse(body).code).toBe("forbidden_origin");
    }
  }
});
