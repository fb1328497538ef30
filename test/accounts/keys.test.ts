import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AuditResponse } from "../../src/http/dashboard/contract/audit.ts";
import type {
  KeyListingResponse,
  KeysResponse,
  NewKeyResponse,
} from "../../src/http/dashboard/contract/keys.ts";
import { methodNames } from "../../src/platforms/methods.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import { withFileStore } from "../../testkit/postgres/suite-database.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

const path = "/dashboard/api/keys";
const hourMs = 3_600_000;

let service: ServiceUnderTest;
type Session = Awaited<ReturnType<ServiceUnderTest["signIn"]>>;

beforeAll(async () => {
  service = await startServiceUnderTest({
    EARSHOT_NEW_KEYS_PER_DAY: "12",
    EARSHOT_DASHBOARD_REQUESTS_PER_SECOND: "1000",
  });
  await service.addPosts([makePost({ key: "k", text: "a comet", createdMs: Date.now() })]);
});
afterAll(() => service.remove());

async function send(
  session: Session,
  method: InjectOptions["method"],
  url: string,
  payload?: object,
) {
  return await service.callAs(session, {
    method: method ?? "GET",
    url,
    ...(payload === undefined ? {} : { payload }),
  });
}

async function make(session: Session, requested: object = {}): Promise<NewKeyResponse> {
  const response = await send(session, "POST", path, { name: "laptop", ...requested });
  expect(response.statusCode, response.body).toBe(201);
  return response.json<NewKeyResponse>();
}

async function rotate(session: Session, id: string, hours: number): Promise<NewKeyResponse> {
  const response = await send(session, "POST", `${path}/${id}/rotate`, { overlap_hours: hours });
  expect(response.statusCode, response.body).toBe(201);
  return response.json<NewKeyResponse>();
}

async function sessionKeys(session: Session): Promise<readonly KeyListingResponse[]> {
  const response = await send(session, "GET", path);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<KeysResponse>().keys;
}

async function sessionKey(session: Session, id: string): Promise<KeyListingResponse> {
  const key = (await sessionKeys(session)).find((other) => other.id === id);
  if (key === undefined) throw new Error(`no key ${id} in the list`);
  return key;
}

async function tokenStatus(token: string): Promise<number> {
  const response = await service.call(token, { method: "GET", url: "/v1/search/live/social/jobs" });
  return response.statusCode;
}

describe("the first key", () => {
  test("the first key is created only once if two tabs request it concurrently", async () => {
    const session = await service.signIn();
    const responses = await Promise.all([
      send(session, "POST", `${path}/first`),
      send(session, "POST", `${path}/first`),
    ]);
    const [made, refused] = responses.toSorted((a, b) => a.statusCode - b.statusCode);
    expect(made?.statusCode, made?.body).toBe(201);
    const { key, token } = made?.json<NewKeyResponse>() ?? {};
    expect(key).toMatchObject({
      name: "default",
      state: "active",
      methods: null,
      expires_at: null,
    });
    expect(token).toMatch(/^ear_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
    expect(refused?.statusCode).toBe(409);
    expect(refused?.json()).toMatchObject({ code: "first_key_shown" });
    expect(await sessionKeys(session)).toHaveLength(1);
    expect(await tokenStatus(token ?? "")).toBe(200);
  });

  test("the first key is rejected once the owner has created a key", async () => {
    const session = await service.signIn();
    await make(session);
    expect((await send(session, "POST", `${path}/first`)).statusCode).toBe(409);
  });
});

describe("keys of an account", () => {
  test("keys of an account are limited to five, even when created concurrently, and revoking one allows another", async () => {
    const session = await service.signIn();
    const responses = await Promise.all(
      Array.from({ length: 7 }, () => send(session, "POST", path, { name: "one of many" })),
    );
    expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([
      201, 201, 201, 201, 201, 409, 409,
    ]);
    const [some] = await sessionKeys(session);
    await send(session, "DELETE", `${path}/${some?.id}`);
    await make(session);
    const again = await send(session, "POST", path, { name: "one too many" });
    expect(again.json()).toMatchObject({ code: "too_many_keys" });
  });

  test("keys of an account have a limit of creations per 24 hours, which counts revoked keys", async () => {
    const session = await service.signIn();
    for (let count = 0; count < 12; count += 1) {
      const { key } = await make(session);
      await send(session, "DELETE", `${path}/${key.id}`);
    }
    const refused = await send(session, "POST", path, { name: "the thirteenth" });
    expect(refused.statusCode).toBe(409);
    expect(refused.json()).toMatchObject({
      code: "too_many_keys",
      hint: expect.stringContaining("retry after"),
    });
  });

  test("keys of an account are invisible to other accounts", async () => {
    const owner = await service.signIn();
    const { key, token } = await make(owner);
    const outsider = await service.signIn();
    const unknown = { statusCode: 404, code: "key_not_found" };
    for (const [method, url, payload] of [
      ["PATCH", `${path}/${key.id}`, { name: "mine" }],
      ["POST", `${path}/${key.id}/rotate`, { overlap_hours: 1 }],
      ["DELETE", `${path}/${key.id}`, undefined],
    ] as const) {
      const response = await send(outsider, method, url, payload);
      const never = await send(outsider, method, url.replace(key.id, "nobody00"), payload);
      expect({ statusCode: response.statusCode, code: response.json().code }).toEqual(unknown);
      expect({ ...never.json(), request_id: "" }).toEqual({ ...response.json(), request_id: "" });
    }
    expect(await sessionKeys(outsider)).toEqual([]);
    expect(await tokenStatus(token)).toBe(200);
  });

  test("keys of an account cannot be managed with an API key, only in a dashboard session", async () => {
    const { token } = await make(await service.signIn());
    const response = await service.call(token, { method: "GET", url: path });
    expect(response.statusCode).toBe(401);
  });
});

describe("a key name", () => {
  test.each([
    "tab\there",
    "line\nbreak",
    "\u202eright to left",
    "\u200b",
    "   ",
    "",
    "x".repeat(61),
  ])("a key name is rejected: %j", async (name) => {
    const response = await send(await service.signIn(), "POST", path, { name });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ errors: [{ pointer: "/name" }] });
  });

  test("a key name of up to 60 characters in any script is accepted and trimmed", async () => {
    const session = await service.signIn();
    const name = `${"ключ".repeat(14)}👩‍🚀🔑`;
    const { key } = await make(session, { name: ` ${name} ` });
    expect(key.name).toBe(name);
  });
});

describe("a rotated key", () => {
  test("a rotated key is valid together with its successor until the overlap ends", async () => {
    const session = await service.signIn();
    const requested = {
      name: "export",
      methods: ["searchbyfullarchive"],
      submissions_per_minute: 4,
    };
    const former = await make(session, requested);
    const successor = await rotate(session, former.key.id, 2);
    expect(successor.key).toMatchObject({ ...requested, state: "active", expires_at: null });
    expect(successor.key.id).not.toBe(former.key.id);
    expect(await sessionKey(session, former.key.id)).toMatchObject({
      state: "expiring",
      successor_id: successor.key.id,
    });
    expect([await tokenStatus(former.token), await tokenStatus(successor.token)]).toEqual([
      200, 200,
    ]);
    service.clock.move(2 * hourMs + 1_000);
    expect([await tokenStatus(former.token), await tokenStatus(successor.token)]).toEqual([
      401, 200,
    ]);
    const later = await service.signIn({ accountId: session.accountId });
    expect(await sessionKey(later, former.key.id)).toMatchObject({ state: "expired", left: null });
  });

  test("a rotated key without an overlap ends immediately, and rotated keys do not count towards the limit of five", async () => {
    const session = await service.signIn();
    const keys = [];
    for (let count = 0; count < 5; count += 1) keys.push(await make(session));
    const [first] = keys;
    await rotate(session, first?.key.id ?? "", 0);
    expect(await tokenStatus(first?.token ?? "")).toBe(401);
    await rotate(session, keys[1]?.key.id ?? "", 168);
    expect(await tokenStatus(keys[1]?.token ?? "")).toBe(200);
    expect((await send(session, "POST", path, { name: "a sixth" })).statusCode).toBe(409);
    await send(session, "DELETE", `${path}/${keys[2]?.key.id}`);
    await make(session, { name: "instead of the revoked one" });
    expect(await tokenStatus(keys[1]?.token ?? "")).toBe(200);
  });

  test("a rotated key shares its rates with its successor", async () => {
    const session = await service.signIn();
    const former = await make(session, { submissions_per_minute: 2 });
    expect((await service.submit(former.token, search("comet"))).statusCode).toBe(202);
    const successor = await rotate(session, former.key.id, 1);
    expect((await service.submit(former.token, search("comet"))).statusCode).toBe(202);
    expect((await service.submit(successor.token, search("comet"))).statusCode).toBe(202);
    expect((await service.submit(former.token, search("comet"))).statusCode).toBe(429);
    expect((await service.submit(successor.token, search("comet"))).statusCode).toBe(429);
    const left = (await sessionKeys(session)).map((key) => key.left?.submissions);
    expect(left).toEqual([0, 0]);
  });

  test("a rotated key ends when its successor is also rotated", async () => {
    const session = await service.signIn();
    const first = await make(session);
    const second = await rotate(session, first.key.id, 24);
    const third = await rotate(session, second.key.id, 24);
    const good = await Promise.all([first, second, third].map(({ token }) => tokenStatus(token)));
    expect(good).toEqual([401, 200, 200]);
  });

  test("a rotated key can be neither rotated nor changed again", async () => {
    const session = await service.signIn();
    const { key } = await make(session);
    await rotate(session, key.id, 24);
    const again = await send(session, "POST", `${path}/${key.id}/rotate`, { overlap_hours: 24 });
    expect(again.json()).toMatchObject({ status: 409, code: "key_ended" });
    const longer = await send(session, "PATCH", `${path}/${key.id}`, { expires_at: null });
    expect(longer.json()).toMatchObject({ status: 409, code: "key_ended" });
  });

  test.each([-1, 169, 1.5, "24"])(
    "a rotated key cannot have an overlap of %j hours",
    async (hours) => {
      const session = await service.signIn();
      const { key } = await make(session);
      const response = await send(session, "POST", `${path}/${key.id}/rotate`, {
        overlap_hours: hours,
      });
      expect(response.statusCode).toBe(400);
    },
  );
});

describe("an ended key", () => {
  test("a revoked key is rejected immediately, while its jobs continue", async () => {
    const session = await service.signIn();
    const { key, token } = await make(session);
    const other = await make(session);
    const { uuid } = (await service.submit(token, search("comet"))).json();
    const overSocket = async () => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${service.url}/v1/search/live/social/jobs`, { headers });
      await response.text();
      return response.status;
    };
    expect(await overSocket()).toBe(200);
    expect((await send(session, "DELETE", `${path}/${key.id}`)).statusCode).toBe(204);
    expect([await tokenStatus(token), await overSocket()]).toEqual([401, 401]);
    const result = await service.result(other.token, uuid);
    expect(result.statusCode).toBe(200);
    expect(result.body).toContain("a comet");
    expect(await sessionKey(session, key.id)).toMatchObject({ state: "revoked", left: null });
    expect((await send(session, "DELETE", `${path}/${key.id}`)).statusCode).toBe(204);
  });

  test("a key is rejected from its expiry time onwards", async () => {
    const session = await service.signIn();
    const expiresAt = new Date(service.clock.now() + hourMs).toISOString();
    const { key, token } = await make(session, { expires_at: expiresAt });
    expect(key.expires_at).toBe(expiresAt);
    expect(await tokenStatus(token)).toBe(200);
    service.clock.move(hourMs);
    const response = await service.call(token, {
      method: "GET",
      url: "/v1/search/live/social/jobs",
    });
    expect(response.statusCode).toBe(401);
    expect(response.json().hint).toContain("expired");
    const change = await send(session, "PATCH", `${path}/${key.id}`, { expires_at: null });
    expect(change.json()).toMatchObject({ code: "key_ended" });
  });

  test("a key cannot be created with an expiry in the past", async () => {
    const past = new Date(service.clock.now() - 1_000).toISOString();
    const response = await send(await service.signIn(), "POST", path, {
      name: "x",
      expires_at: past,
    });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ errors: [{ pointer: "/expires_at" }] });
  });
});

describe("the rates of a key", () => {
  test("the owner can lower the rates of a key but not raise them above the account's", async () => {
    const session = await service.signIn();
    const listed = (await send(session, "GET", path)).json<KeysResponse>();
    expect(listed.limits).toEqual({ requests_per_second: 3, submissions_per_minute: 10 });
    for (const [field, max] of [
      ["requests_per_second", 3],
      ["submissions_per_minute", 10],
    ] as const) {
      const refused = await send(session, "POST", path, { name: "more", [field]: max + 1 });
      expect(refused.statusCode).toBe(400);
      expect(refused.json()).toMatchObject({ errors: [{ pointer: `/${field}` }] });
      const { key } = await make(session, { [field]: max });
      const raised = await send(session, "PATCH", `${path}/${key.id}`, { [field]: max + 1 });
      expect(raised.statusCode).toBe(400);
    }
    const { key, token } = await make(session, { submissions_per_minute: 2 });
    const response = await service.call(token, {
      method: "GET",
      url: "/v1/search/live/social/jobs",
    });
    expect(response.headers["ratelimit-policy"]).toBe('"burst";q=3;w=1, "search";q=2;w=60');
    expect(await sessionKey(session, key.id)).toMatchObject({
      submissions_per_minute: 2,
      requests_per_second: null,
      left: { submissions: 2 },
    });
  });

  test("the rates of a key never exceed the account's, even if the account's are lowered later", async () => {
    const session = await service.signIn();
    const { key, token } = await make(session, { submissions_per_minute: 8 });
    const operator = await service.signIn({ role: "operator" });
    const lowered = await send(
      operator,
      "PATCH",
      `/dashboard/api/operator/accounts/${session.accountId}`,
      { submissions_per_minute: 5 },
    );
    expect(lowered.statusCode, lowered.body).toBe(200);
    const response = await service.call(token, {
      method: "GET",
      url: "/v1/search/live/social/jobs",
    });
    expect(response.headers["ratelimit-policy"]).toContain('"search";q=5;w=60');
    expect(await sessionKey(session, key.id)).toMatchObject({ submissions_per_minute: 5 });
  });
});

describe("a key restricted to some methods", () => {
  const refusal = {
    status: 403,
    code: "method_forbidden",
    errors: [{ expected: ["getbyid", "gettrends"] }],
  };
  const request = (method: string, query = "comet") => ({
    type: "social",
    arguments: { type: method, query },
  });

  withFileStore(
    "a key restricted to some methods cannot use other methods on any search, count or node path",
    async () => {
      const session = await service.signIn();
      const { token } = await make(session, { methods: ["getbyid", "gettrends"] });
      const node = "/api/v1/data/social/tweets/recent";
      const calls = [
        () => service.submit(token, request("searchbyquery")),
        () => service.submit(token, request("searchbyquery"), "/v1/search/live"),
        () => service.submit(token, request("searchbyfullarchive"), "/v1/search/social"),
        () => service.submit(token, { query: "comet" }, node),
        () => service.call(token, { method: "GET", url: "/v1/search/social/counts?query=comet" }),
      ];
      for (const call of calls) {
        const response = await call();
        expect(response.json()).toMatchObject(refusal);
        expect(response.headers.ratelimit).toContain('"search";r=10');
        service.clock.move(1_000);
        expect(response.json().hint).toContain("use getbyid or gettrends");
      }
    },
  );

  test("a key restricted to either search method can also count posts", async () => {
    const session = await service.signIn();
    for (const method of ["searchbyquery", "searchbyfullarchive"]) {
      const { token } = await make(session, { methods: [method] });
      const url = "/v1/search/social/counts?query=comet";
      expect((await service.call(token, { method: "GET", url })).statusCode).toBe(200);
      expect((await service.submit(token, request(method))).statusCode).toBe(202);
    }
  });

  test("a key restricted to some methods can be given all methods again", async () => {
    const session = await service.signIn();
    const { key, token } = await make(session, { methods: ["gettrends"] });
    expect((await service.submit(token, search("comet"))).statusCode).toBe(403);
    await send(session, "PATCH", `${path}/${key.id}`, { methods: [...methodNames] });
    expect((await service.submit(token, search("comet"))).statusCode).toBe(202);
    const changed = await send(session, "PATCH", `${path}/${key.id}`, { methods: null });
    expect(changed.json()).toMatchObject({ key: { methods: null, name: "laptop" } });
  });

  test.each([[[]], [["searchbyquery", "searchbyquery"]], [["searchbynothing"]], ["searchbyquery"]])(
    "%j is rejected as a key's list of methods",
    async (methods) => {
      const response = await send(await service.signIn(), "POST", path, { name: "x", methods });
      expect(response.statusCode).toBe(400);
    },
  );
});

test("a search with a key of a suspended account is rejected as suspended", async () => {
  const session = await service.signIn();
  const { token } = await make(session);
  const operator = await service.signIn({ role: "operator" });
  const url = `/dashboard/api/operator/accounts/${session.accountId}`;
  const suspended = await send(operator, "PATCH", url, { suspended: true });
  expect(suspended.statusCode, suspended.body).toBe(200);
  const response = await service.submit(token, search("comet"));
  expect(response.json()).toMatchObject({ status: 403, code: "account_suspended" });
  const wrong = await service.call(`${token.slice(0, -7)}AAAAAAA`, { method: "GET", url: path });
  expect(wrong.statusCode).toBe(401);
});

test("the list of keys reports when and from which network each was last used", async () => {
  const session = await service.signIn();
  const { key, token } = await make(session);
  expect(key).toMatchObject({ used_at: null, used_from: null });
  const url = "/v1/search/live/social/jobs";
  await service.call(token, { method: "GET", url, remoteAddress: "192.0.2.77" });
  await service.context.http.usage.flush();
  const used = await sessionKey(session, key.id);
  expect(Math.abs(Date.parse(used.used_at ?? "") - service.clock.now())).toBeLessThanOrEqual(
    60_000,
  );
  expect(used.used_from).toBe("192.0.2.0/24");
});

test("renaming a key takes effect and is audited without the name", async () => {
  const session = await service.signIn();
  const { key } = await make(session);
  const renamed = await send(session, "PATCH", `${path}/${key.id}`, { name: "storm watch" });
  expect(renamed.json()).toMatchObject({ key: { name: "storm watch", state: "active" } });
  await send(session, "DELETE", `${path}/${key.id}`);
  const audit = await send(session, "GET", "/dashboard/api/account/audit");
  expect(audit.statusCode, audit.body).toBe(200);
  const { entries } = audit.json<AuditResponse>();
  expect(entries.slice(0, 3)).toMatchObject([
    { action: "key_revoked", detail: {} },
    { action: "key_changed", detail: { renamed: true } },
    { action: "key_created", detail: { methods: null, expires_at: null } },
  ]);
  expect(JSON.stringify(entries.map(({ detail }) => detail))).not.toContain("storm watch");
});
