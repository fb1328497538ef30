import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AuditResponse } from "../../src/http/dashboard/contract/audit.ts";
import type {
  AllJobsResponse,
  AllKeysResponse,
  AllUsageResponse,
} from "../../src/http/dashboard/contract/operator.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
let operator: TestSession;
let ann: { id: string; accountId: string; token: string };
let bob: { id: string; accountId: string; token: string };

const path = "/dashboard/api/operator";

async function get<Answer>(url: string): Promise<Answer> {
  const response = await service.callAs(operator, { url: `${path}/${url}` });
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}

function makeKey(accountName: string) {
  return service.context.store.write("createKey", {
    name: `key of ${accountName}`,
    accountName,
    requestsPerSecond: 1_000,
    submissionsPerMinute: 1_000,
    nowMs: service.clock.now(),
  });
}

async function getIds<Answer extends { next: string | number | null }>(
  list: string,
  cursor: "after" | "before",
  idsOfPage: (answer: Answer) => readonly (string | number)[],
) {
  const ids: (string | number)[] = [];
  let url = list;
  for (;;) {
    const page = await get<Answer>(url);
    ids.push(...idsOfPage(page));
    if (page.next === null) return ids;
    url = `${list}${list.includes("?") ? "&" : "?"}${cursor}=${page.next}`;
  }
}

beforeAll(async () => {
  service = await startServiceUnderTest({
    EARSHOT_DASHBOARD_REQUESTS_PER_SECOND: "1000",
    EARSHOT_MAX_KEYS_PER_ACCOUNT: "100",
  });
  operator = await service.signIn({ role: "operator" });
  [ann, bob] = [await makeKey("ann"), await makeKey("bob")];
});
afterAll(() => service.remove());

test.each(["keys", "jobs", "usage", "audit"])(
  "the operator's list of %s looks like an unknown path to a member",
  async (list) => {
    const member = await service.signIn();
    const refused = await service.callAs(member, { url: `${path}/${list}` });
    expect([refused.statusCode, refused.json().code]).toEqual([404, "not_found"]);
  },
);

test.each(["keys", "jobs", "usage"])(
  "the operator's list of %s for an unknown account is empty",
  async (list) => {
    const { next, ...lists } = await get<{ next: string | null }>(`${list}?account=unknown`);
    expect([next, ...Object.values(lists)]).toEqual([null, []]);
  },
);

test.each([
  ["keys?after=oranges", "/after"],
  ["jobs?after=a-b", "/after"],
  ["jobs?account=one&after=12", "/after"],
  ["usage?range=1y", "/range"],
  ["audit?action=magic", "/action"],
  ["audit?from=yesterday", "/from"],
  ["audit?to=2026-11-28", "/to"],
])("the operator's request for the list %s is rejected", async (list, pointer) => {
  const response = await service.callAs(operator, { url: `${path}/${list}` });
  expect([response.statusCode, response.json().errors[0].pointer]).toEqual([400, pointer]);
});

test("the operator's list of keys is read page by page, for all accounts or one", async () => {
  for (let index = 0; index < 60; index += 1) await makeKey(`account ${index}`);
  const idsIn = ({ keys }: AllKeysResponse) => keys.map(({ id }) => id);
  const ids = await getIds("keys", "after", idsIn);
  expect(ids.length).toBeGreaterThan(60);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining([ann.id, bob.id]));
  expect(await getIds(`keys?account=${ann.accountId}`, "after", idsIn)).toEqual([ann.id]);
  expect(await getIds("keys?query=key of bo", "after", idsIn)).toEqual([bob.id]);
});

describe("jobs", () => {
  const uuidsIn = ({ jobs }: AllJobsResponse) => jobs.map(({ uuid }) => uuid);

  test("the operator's list of jobs is read page by page, newest first, for all accounts or one, without queries", async () => {
    const submitted: string[] = [];
    for (let index = 0; index < 55; index += 1) {
      const { token } = index % 2 === 0 ? ann : bob;
      submitted.unshift((await service.submit(token, search("confidential"))).json().uuid);
      if (index === 0) await service.result(token, submitted[0] ?? "");
    }
    const all = await getIds("jobs", "after", uuidsIn);
    expect(all).toEqual(submitted);
    const ofBob = await getIds(`jobs?account=${bob.accountId}`, "after", uuidsIn);
    expect(new Set(ofBob)).toEqual(new Set(submitted.filter((_, index) => index % 2 === 1)));
    const page = await get<AllJobsResponse>(`jobs?account=${ann.accountId}`);
    expect(page.jobs[0]).toMatchObject({
      account: { id: ann.accountId, name: "ann" },
      method: "searchbyquery",
      platform: "social",
      code: null,
    });
    expect(JSON.stringify(page)).not.toContain("confidential");
  });
});

test("the operator's usage is summed by account", async () => {
  const { accountId, token } = await makeKey("carol");
  const { uuid } = (await service.submit(token, search("comet"))).json();
  await service.result(token, uuid);
  expect((await service.submit(token, search("from:"))).statusCode).toBe(400);
  const usage = await get<AllUsageResponse>(`usage?range=24h&account=${accountId}`);
  expect(usage).toEqual({
    accounts: [
      {
        account: { id: accountId, name: "carol" },
        requests: 3,
        refused: 0,
        failed: 0,
        searches: 1,
        searches_failed: 0,
        posts: 0,
      },
    ],
    next: null,
  });
  const idsIn = ({ accounts }: AllUsageResponse) => accounts.map(({ account }) => account.id);
  const ids = await getIds("usage?range=30d", "after", idsIn);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining([accountId, ann.accountId, bob.accountId]));
});

describe("the audit log", () => {
  const sequencesIn = ({ entries }: AuditResponse) => entries.map(({ sequence }) => sequence);
  const getEntries = async (filters: Record<string, string>) =>
    (await get<AuditResponse>(`audit?${new URLSearchParams(filters)}`)).entries;

  test("the audit log can be filtered by action and actor, on every page", async () => {
    const created = { action: "key_created", actor: "command_line" };
    const list = `audit?${new URLSearchParams(created)}`;
    const sequences = await getIds(list, "before", sequencesIn);
    const all = await getIds("audit", "before", sequencesIn);
    expect(sequences.length).toBeGreaterThan(50);
    expect(all.length).toBeGreaterThan(sequences.length);
    for (const entry of await getEntries(created)) {
      expect(entry).toMatchObject({ action: "key_created", actor: "the command line" });
    }
  });

  test("the audit log can be filtered by the account that acted", async () => {
    const member = await service.signIn();
    await service.callAs(operator, {
      method: "PATCH",
      url: `${path}/accounts/${member.accountId}`,
      payload: { requests_per_second: 7 },
    });
    const byOperator = await getEntries({ actor: operator.accountId, account: member.accountId });
    expect(byOperator).toMatchObject([{ action: "account_limits_changed" }]);
    expect(await getEntries({ actor: member.accountId, action: "account_limits_changed" })).toEqual(
      [],
    );
  });

  test("the audit log can be filtered by time, from one time, before another, or both", async () => {
    const startMs = service.clock.now() + 60_000;
    service.clock.move(60_000);
    await makeKey("dave");
    service.clock.move(60_000);
    await makeKey("erin");
    const from = new Date(startMs).toISOString();
    const to = new Date(startMs + 30_000).toISOString();
    const action = "account_created";
    const getSubjects = async (filters: Record<string, string>) =>
      (await getEntries({ action, ...filters })).map(({ subject }) => subject);
    expect(await getSubjects({ from, to })).toEqual(["dave"]);
    expect(await getSubjects({ from })).toEqual(["erin", "dave"]);
    expect((await getSubjects({ to }))[0]).toBe("dave");
  });
});
