import { afterAll, beforeAll, expect, test } from "vitest";
import type {
  KeyRequestsResponse,
  NewKeyResponse,
} from "../../src/http/dashboard/contract/keys.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest({ EARSHOT_REQUESTS_PER_SECOND: "100" });
});
afterAll(() => service.remove());

const path = "/dashboard/api/keys";

async function makeKey(session: TestSession, choice: object = {}): Promise<NewKeyResponse> {
  const payload = { name: "laptop", ...choice };
  return (await service.callAs(session, { method: "POST", url: path, payload })).json();
}

const sessionLog = (session: TestSession, id: string) =>
  service.callAs(session, { url: `${path}/${id}/requests` });

async function sessionRequests(session: TestSession, id: string) {
  return (await sessionLog(session, id)).json<KeyRequestsResponse>().requests;
}

test("the requests of a key are listed newest first, and rejected ones with their error code", async () => {
  const session = await service.signIn();
  const { key, token } = await makeKey(session, {
    methods: ["searchbyquery"],
    submissions_per_minute: 1,
  });
  const trends = { type: "social", arguments: { type: "gettrends" } };
  const responses = [
    await service.submit(token, search("confidential")),
    await service.submit(token, search("from:")),
    await service.submit(token, trends),
    await service.submit(token, search("comet")),
  ];
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([202, 400, 403, 429]);
  const listed = await sessionRequests(session, key.id);
  const times = listed.map(({ at }) => at);
  expect(times).toEqual(times.toSorted().toReversed());
  // Rounding can reverse the order of requests less than a millisecond apart.
  const byId = new Map(listed.map((listing) => [listing.id, listing]));
  expect(responses.map(({ headers }) => byId.get(String(headers["x-request-id"])))).toEqual(
    responses.map((response) => ({
      id: response.headers["x-request-id"],
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      method: "POST",
      route: "/v1/search/live/:platform",
      status: response.statusCode,
      code: response.json().code ?? null,
      duration_ms: expect.any(Number),
    })),
  );
  expect(JSON.stringify(listed)).not.toContain("confidential");
});

test("requests in the same millisecond are listed in reverse order of writing", async () => {
  const session = await service.signIn();
  const { key } = await makeKey(session);
  const ids = ["m", "z", "a", "q", "b", "y"];
  const written = ids.map((requestId) => ({
    ...{ keyId: key.id, requestId, atMs: service.clock.now(), method: "GET" },
    ...{ route: "/v1/nodes", status: 200, code: null, durationMs: 1 },
  }));
  const { store } = service.context;
  await store.write("addKeyRequests", { requests: written.slice(0, 4) });
  await store.write("addKeyRequests", { requests: written.slice(4) });
  const listed = await sessionRequests(session, key.id);
  expect(listed.map(({ id }) => id)).toEqual(ids.toReversed());
});

test("the requests of a key contain neither the dashboard's own requests nor those of another key", async () => {
  const session = await service.signIn();
  const [first, second] = [await makeKey(session), await makeKey(session)];
  await service.callAs(session, { url: "/v1/search/live/social/jobs" });
  await service.call(second.token, { method: "GET", url: "/v1/webhooks" });
  expect(await sessionRequests(session, first.key.id)).toEqual([]);
  expect(await sessionRequests(session, second.key.id)).toMatchObject([
    { method: "GET", route: "/v1/webhooks", status: 200, code: null },
  ]);
});

test("the requests of another account's key are rejected like those of an unknown key", async () => {
  const { key, token } = await makeKey(await service.signIn());
  await service.call(token, { method: "GET", url: "/v1/webhooks" });
  const other = await service.signIn();
  const [foreign, unknown] = [await sessionLog(other, key.id), await sessionLog(other, "00000000")];
  expect(foreign.json()).toMatchObject({ status: 404, code: "key_not_found" });
  const { request_id: _one, ...body } = foreign.json();
  const { request_id: _other, ...expected } = unknown.json();
  expect(body).toEqual(expected);
});

test("deleting an account also deletes the requests of its keys", async () => {
  const session = await service.signIn();
  const { key, token } = await makeKey(session);
  await service.call(token, { method: "GET", url: "/v1/webhooks" });
  expect(await sessionRequests(session, key.id)).toHaveLength(1);
  const { accountId } = session;
  const { store } = service.context;
  await store.write("closeAccount", { accountId, actor: "command_line", nowMs: 1 });
  while ((await store.write("dropClosedAccount", { accountId })).isMore);
  expect(await store.read("keyRequests", { accountId, keyId: key.id })).toEqual([]);
});
