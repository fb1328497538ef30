import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
let operator: TestSession;

beforeAll(async () => {
  service = await startServiceUnderTest({
    EARSHOT_NODE_CONCURRENCY: "0",
    EARSHOT_DASHBOARD_REQUESTS_PER_SECOND: "1000",
  });
  operator = await service.signIn({ role: "operator" });
});
afterAll(async () => {
  await service.remove();
});

const get = (session: TestSession, url: string) => service.callAs(session, { url });
const patch = (session: TestSession, id: string, payload: object) =>
  service.callAs(session, {
    method: "PATCH",
    url: `/dashboard/api/operator/accounts/${id}`,
    payload,
  });
const remove = (session: TestSession, url: string, confirm: string) =>
  service.callAs(session, { method: "DELETE", url, payload: { confirm } });

const readName = async (id: string): Promise<string> => {
  const found = await service.context.store.read("findAccount", { id, nowMs: 0 });
  return found?.name ?? "";
};

async function readKey(accountId: string): Promise<string> {
  const nowMs = service.clock.now();
  const name = `account ${accountId}`;
  const database = new DatabaseSync(join(service.dataDir, "control.db"), { timeout: 5_000 });
  database.prepare("UPDATE account SET name = ? WHERE id = ?").run(name, accountId);
  database.close();
  const { token } = await service.context.store.write("createKey", {
    name: "laptop",
    accountName: name,
    requestsPerSecond: null,
    submissionsPerMinute: null,
    nowMs,
  });
  return token;
}

describe("the operator's list of accounts", () => {
  test("the operator's list of accounts is only for operators, and its paths do not exist for others", async () => {
    const member = await service.signIn();
    for (const path of ["accounts", "audit"]) {
      const response = await get(member, `/dashboard/api/operator/${path}`);
      expect([response.statusCode, response.json().code], path).toEqual([404, "not_found"]);
    }
    expect((await patch(member, member.accountId, { role: "operator" })).statusCode).toBe(404);
    const deleted = await remove(
      member,
      `/dashboard/api/operator/accounts/${operator.accountId}`,
      "x",
    );
    expect(deleted.statusCode).toBe(404);
  });

  test("the operator's list of accounts is read page by page, each account once", async () => {
    for (let index = 0; index < 60; index += 1) await service.signIn();
    const ids: string[] = [];
    let next: string | null = "";
    while (next !== null) {
      const after: string = next === "" ? "" : `?after=${next}`;
      const page = (await get(operator, `/dashboard/api/operator/accounts${after}`)).json();
      ids.push(...page.accounts.map(({ id }: { id: string }) => id));
      next = page.next;
    }
    expect(ids.length).toBeGreaterThan(60);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain(operator.accountId);
  });

  test("the operator's list of accounts is searched by part of a name, in which wildcards match literally", async () => {
    const { accountId } = await service.signIn();
    const name = await readName(accountId);
    const found = async (query: string) => {
      const url = `/dashboard/api/operator/accounts?query=${encodeURIComponent(query)}`;
      return (await get(operator, url)).json().accounts.map(({ id }: { id: string }) => id);
    };
    expect(await found(name.toUpperCase())).toEqual([accountId]);
    expect(await found("%")).toEqual([]);
    expect(await found("person_")).toEqual([]);
  });

  test.each([
    ["after=oranges", "/after"],
    [`query=${"q".repeat(101)}`, "/query"],
    ["order=asc", "/order"],
  ])("the operator's list of accounts rejects ?%s", async (query, pointer) => {
    const response = await get(operator, `/dashboard/api/operator/accounts?${query}`);
    expect([response.statusCode, response.json().errors[0].pointer]).toEqual([400, pointer]);
  });
});

describe("an account that an operator changes", () => {
  test("an account that an operator changes has the new role and limits, and both changes are in the audit log", async () => {
    const { accountId } = await service.signIn();
    const response = await patch(operator, accountId, {
      role: "operator",
      requests_per_second: 50,
    });
    expect(response.json().account).toMatchObject({
      id: accountId,
      role: "operator",
      limits: { requests_per_second: 50, submissions_per_minute: null },
    });
    const audit = await get(operator, `/dashboard/api/operator/audit?account=${accountId}`);
    expect(audit.json().entries.slice(0, 2)).toMatchObject([
      { action: "account_limits_changed", detail: { requests_per_second: 50 } },
      { action: "account_role_changed", detail: { role: "operator" } },
    ]);
    expect(audit.json().entries[0].actor).toBe(await readName(operator.accountId));
    await patch(operator, accountId, { role: "member" });
  });

  test("a change that has no effect on an account is not audited", async () => {
    const { accountId } = await service.signIn();
    const url = `/dashboard/api/operator/audit?account=${accountId}`;
    const before = (await get(operator, url)).json().entries.length;
    await patch(operator, accountId, { role: "member", requests_per_second: null });
    expect((await get(operator, url)).json().entries).toHaveLength(before);
  });

  test("an account that an operator suspends loses sessions and jobs, its keys are rejected, and it can be restored", async () => {
    const session = await service.signIn();
    const { accountId } = session;
    const key = await readKey(accountId);
    const uuid = (await service.submit(key, search("comet"))).json().uuid;
    const pending = service.result(key, uuid);
    await service.waitForPending(1);

    const response = await patch(operator, accountId, {
      suspended: true,
      suspended_reason: " A hundred keys ",
    });
    expect(response.json().account).toMatchObject({
      suspended_reason: "A hundred keys",
      suspended_at: expect.any(String),
    });
    expect((await pending).json().code).toBe("unauthorized");
    expect((await service.submit(key, search("comet"))).json().code).toBe("account_suspended");
    expect((await get(session, "/dashboard/api/account/audit")).statusCode).toBe(401);

    await patch(operator, accountId, { suspended: false });
    expect((await service.submit(key, search("comet"))).statusCode).toBe(202);
    const log = await get(operator, `/dashboard/api/operator/audit?account=${accountId}`);
    const actions = log.json().entries.map(({ action }: { action: string }) => action);
    expect(actions.slice(0, 2)).toEqual(["account_restored", "account_suspended"]);
    // Free text may contain names, and the log outlives the account.
    expect(log.body).not.toContain("hundred");
  });

  test("invalid changes of an account are rejected", async () => {
    for (const [payload, pointer] of [
      [{ role: "king" }, "/role"],
      [{ requests_per_second: 0 }, "/requests_per_second"],
      [{ suspended: true, suspended_reason: "r".repeat(201) }, "/suspended_reason"],
      [{ suspended: true, suspended_reason: "two\nlines" }, "/suspended_reason"],
      [{ suspended: true, suspended_reason: "turned \u202e round" }, "/suspended_reason"],
      [{ name: "x" }, "/name"],
    ] as const) {
      const response = await patch(operator, operator.accountId, payload);
      expect([response.statusCode, response.json().errors?.[0].pointer]).toEqual([400, pointer]);
    }
    const noOne = await patch(operator, "nobody", { role: "member" });
    expect([noOne.statusCode, noOne.json().code]).toEqual([404, "account_not_found"]);
  });

  test("the last operator can be neither demoted, suspended nor deleted", async () => {
    const { accountId } = operator;
    const name = await readName(accountId);
    const requested = [
      patch(operator, accountId, { role: "member" }),
      patch(operator, accountId, { suspended: true, suspended_reason: "" }),
      remove(operator, "/dashboard/api/account", name),
      remove(operator, `/dashboard/api/operator/accounts/${accountId}`, name),
    ];
    for (const response of await Promise.all(requested)) {
      expect([response.statusCode, response.json().code]).toEqual([409, "last_operator"]);
    }
    const suspended = await service.signIn({ role: "operator" });
    await patch(operator, suspended.accountId, { suspended: true });
    expect((await patch(operator, accountId, { role: "member" })).statusCode).toBe(409);
  });

  test("an operator deletes an account by typing its name", async () => {
    const { accountId } = await service.signIn();
    const url = `/dashboard/api/operator/accounts/${accountId}`;
    expect((await remove(operator, url, "")).statusCode).toBe(400);
    expect((await remove(operator, url, await readName(accountId))).statusCode).toBe(204);
    expect((await remove(operator, url, "")).json().code).toBe("account_not_found");
  });
});

describe("the audit log", () => {
  test("the audit log is read in pages with each entry once, and members see only entries of their account", async () => {
    const { store } = service.context;
    const session = await service.signIn();
    for (let index = 1; index <= 70; index += 1) {
      await store.write("changeAccount", {
        accountId: session.accountId,
        actor: "command_line",
        nowMs: service.clock.now(),
        submissionsPerMinute: index,
      });
    }
    const first = (await get(session, "/dashboard/api/account/audit")).json();
    const rest = (await get(session, `/dashboard/api/account/audit?before=${first.next}`)).json();
    const reported = [...first.entries, ...rest.entries].map(
      ({ detail }) => detail.submissions_per_minute,
    );
    const numbers = reported.filter((value) => value !== undefined);
    expect(numbers).toEqual(Array.from({ length: 70 }, (_, index) => 70 - index));
    expect(rest.next).toBeNull();
    const name = await readName(session.accountId);
    for (const entry of [...first.entries, ...rest.entries]) expect(entry.subject).toBe(name);
    expect(first.entries[0].actor).toBe("the command line");
  });

  test("actions of the server in the audit log cannot be mistaken for those of an account", async () => {
    const session = await service.signIn({ role: "operator" });
    const { entries } = (await get(session, "/dashboard/api/account/audit")).json();
    const roleChange = entries.find(
      (entry: { action: string }) => entry.action === "account_role_changed",
    );
    // Logins contain no spaces.
    expect(roleChange.actor).toBe("the server");
  });

  test("the audit log cannot be changed or truncated, even by another program", () => {
    const otherConnection = new DatabaseSync(join(service.dataDir, "control.db"), {
      timeout: 5_000,
    });
    try {
      for (const sql of [
        "UPDATE audit SET action = 'signed_in'",
        "DELETE FROM audit",
        "INSERT OR REPLACE INTO audit SELECT * FROM audit LIMIT 1",
      ]) {
        expect(() => otherConnection.exec(sql), sql).toThrow("the audit log is only appended to");
      }
    } finally {
      otherConnection.close();
    }
  });
});

describe("the export of an account", () => {
  test("the export of an account contains all of it as lines of JSON, without secrets or data of others", async () => {
    const session = await service.signIn();
    const other = await service.signIn();
    const key = await readKey(session.accountId);
    const { uuid } = (await service.submit(key, search("halcyon"))).json();
    const response = await get(session, "/dashboard/api/account/export");

    expect(response.headers["content-type"]).toBe("application/x-ndjson; charset=utf-8");
    expect(response.headers["content-disposition"]).toMatch(
      /^attachment; filename="earshot-account-\d{4}-\d\d-\d\d\.ndjson"$/,
    );
    const lines = response.body
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.at(-1)).toEqual({ kind: "end", lines: lines.length - 1 });
    const kinds = new Set(lines.map(({ kind }) => kind));
    expect([...kinds]).toEqual(["account", "identity", "key", "session", "audit", "job", "end"]);
    expect(lines.find(({ kind }) => kind === "job")).toMatchObject({
      uuid,
      request: { query: "halcyon" },
    });
    expect(response.body).not.toContain(key.split("_")[2]);
    expect(response.body).not.toContain("hash");
    expect(response.body).not.toContain(other.accountId);
    const audit = await get(session, "/dashboard/api/account/audit");
    expect(audit.json().entries[0]).toMatchObject({ action: "account_exported" });
  });

  test("the export of many large results blocks the event loop for less than 50 ms", async () => {
    const session = await service.signIn();
    addJobs(session.accountId, 300, 100_000);
    const socket = httpRequest(`${service.url}/dashboard/api/account/export`, {
      headers: { cookie: session.cookie, "sec-fetch-site": "same-origin" },
    });
    socket.end();
    const blockedMs = watchLoop();
    const [response] = await once(socket, "response");
    let jobs = 0;
    let rest = "";
    let bytes = 0;
    for await (const part of response) {
      bytes += part.length;
      rest += part.toString("latin1");
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      jobs += lines.filter((line) => line.startsWith('{"kind":"job"')).length;
    }
    expect([jobs, bytes > 30_000_000]).toEqual([300, true]);
    expect(blockedMs()).toBeLessThan(50);
  });
});

/** Adds finished jobs with results of this size. */
function addJobs(accountId: string, jobs: number, characters: number): void {
  const database = new DatabaseSync(join(service.dataDir, "control.db"), { timeout: 5_000 });
  const insert = database.prepare(
    `INSERT INTO job(uuid, account_id, key_id, request, canonical_query, warnings, state, submitted_ms, deadline_ms, finished_ms,
       expires_ms, result) VALUES(?, ?, 'k', '{}', 'comet', '[]', 'done', ?, 0, ?, ?, ?)`,
  );
  const nowMs = service.clock.now();
  const result = JSON.stringify({ positions: [], text: "x".repeat(characters) });
  database.exec("BEGIN");
  for (let index = 0; index < jobs; index += 1) {
    const uuid = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
    insert.run(uuid, accountId, nowMs, nowMs, nowMs + 3_600_000, result);
  }
  database.exec("COMMIT");
  database.close();
}

/** Measures how long the event loop was blocked since the last call, at most. */
function watchLoop(): () => number {
  let lastMs = cpuMs();
  let longestMs = 0;
  const timer = setInterval(() => {
    const nowMs = cpuMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
  }, 1);
  return () => {
    clearInterval(timer);
    return longestMs;
  };
}

/** The CPU time, which other processes do not affect. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
