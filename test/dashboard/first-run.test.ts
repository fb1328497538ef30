import { afterAll, beforeAll, expect, test } from "vitest";
import type { AllKeysResponse } from "../../src/http/dashboard/contract/operator.ts";
import type { StatusResponse } from "../../src/http/dashboard/contract/status.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
let operator: TestSession;

beforeAll(async () => {
  service = await startServiceUnderTest({});
  operator = await service.signIn({ role: "operator" });
});
afterAll(() => service.remove());

const load = (session: TestSession) =>
  service.callAs(session, { method: "POST", url: "/dashboard/api/operator/samples" });

test("an operator of an empty archive loads sample posts, which a search finds", async () => {
  const first = await load(operator);
  expect(first.json().imported).toBeGreaterThan(100);
  expect((await load(operator)).json()).toEqual({ imported: 0 });
  const found = await service.callAs(operator, {
    method: "POST",
    url: "/v1/search/social",
    payload: search("aurora", { type: "searchbyfullarchive" }),
  });
  const authors: string[] = found
    .json()
    .results.map((record: { Metadata: { username: string } }) => record.Metadata.username);
  expect(authors.length).toBeGreaterThan(2);
  for (const author of authors) expect(author).toMatch(/[@.]example\.(?:com|org)$/);
  const status = await service.callAs(operator, { url: "/dashboard/api/status?range=24h" });
  expect((status.json() as StatusResponse).archive.posts).toBeGreaterThan(100);
});

test("a member loads no sample posts", async () => {
  expect((await load(await service.signIn({}))).statusCode).toBe(404);
});

test("an operator sees the keys that the command line created, with names", async () => {
  const { id, accountId } = await service.context.store.write("createKey", {
    name: "night robot",
    accountName: "newsroom",
    requestsPerSecond: null,
    submissionsPerMinute: null,
    nowMs: service.clock.now(),
  });
  const found = await service.callAs(operator, {
    url: "/dashboard/api/operator/keys?query=night",
  });
  const { keys } = found.json() as AllKeysResponse;
  expect(keys).toMatchObject([
    { id, name: "night robot", state: "active", account: { id: accountId, name: "newsroom" } },
  ]);
  const member = await service.signIn({});
  const refused = await service.callAs(member, { url: "/dashboard/api/operator/keys" });
  expect(refused.statusCode).toBe(404);
});
