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
    EARSHOT_DASHBOARD_REQUESTS_PER_SECOND: "1000",
    EARSHOT_REQUESTS_PER_SECOND: "1000",
    EARSHOT_NEW_KEYS_PER_DAY: "4",
  });
  operator = await service.signIn({ role: "operator" });
});
afterAll(() => service.remove());

const keysPath = "/dashboard/api/keys";

async function limit(accountId: string, limits: object): Promise<void> {
  const url = `/dashboard/api/operator/accounts/${accountId}`;
  const response = await service.callAs(operator, { method: "PATCH", url, payload: limits });
  expect(response.statusCode, response.body).toBe(200);
}

const makeKey = (session: TestSession, name = "laptop") =>
  service.callAs(session, { method: "POST", url: keysPath, payload: { name } });

async function sessionKey(session: TestSession): Promise<{ id: string; token: string }> {
  const response = await makeKey(session);
  expect(response.statusCode, response.body).toBe(201);
  const { key, token } = response.json();
  return { id: key.id, token };
}

const submitAs = (session: TestSession) =>
  service.callAs(session, {
    method: "POST",
    url: "/v1/search/live/social",
    payload: search("comet"),
  });

async function signUp(subject: string) {
  return await service.context.store.write("signInIdentity", {
    agent: "a test",
    addressGroup: "127.0.0.1",
    method: "github",
    maxAgeMs: 600_000,
    maxPerAccount: 20,
    nowMs: service.clock.now(),
    previousSession: null,
    provider: "github",
    subject,
    login: `login-${subject}`,
    isOperator: false,
  });
}

async function signUpSession(subject: string): Promise<TestSession> {
  const signedIn = await signUp(subject);
  if (signedIn.kind !== "signed_in") throw new Error(signedIn.kind);
  return await service.signIn({ accountId: signedIn.accountId });
}

async function deleteAccount(session: TestSession, subject: string): Promise<void> {
  const response = await service.callAs(session, {
    method: "DELETE",
    url: "/dashboard/api/account",
    payload: { confirm: `login-${subject}` },
  });
  expect(response.statusCode, response.body).toBe(204);
}

describe("an owner who deletes the account and signs up again", () => {
  test("an owner who deletes the account and signs up again within a day gets the limits of the former account", async () => {
    const first = await signUpSession("71");
    await limit(first.accountId, { requests_per_second: 7, submissions_per_minute: 1 });
    await deleteAccount(first, "71");
    const second = await signUpSession("71");
    expect(second.accountId).not.toBe(first.accountId);
    const fetchLimits = async (session: TestSession) =>
      (await service.callAs(session, { url: "/dashboard/api/session" })).json().signed_in.limits;
    expect(await fetchLimits(second)).toEqual({
      requests_per_second: 7,
      submissions_per_minute: 1,
    });
    await deleteAccount(second, "71");
    service.clock.move(86_400_001);
    operator = await service.signIn({ role: "operator" });
    expect(await fetchLimits(await signUpSession("71"))).toEqual({
      requests_per_second: 1_000,
      submissions_per_minute: 10,
    });
  });

  test("key creations of a deleted account count when its owner signs up again", async () => {
    const first = await signUpSession("72");
    for (let made = 0; made < 3; made += 1) await sessionKey(first);
    await deleteAccount(first, "72");
    const second = await signUpSession("72");
    await sessionKey(second);
    expect((await makeKey(second)).json()).toMatchObject({
      code: "too_many_keys",
      detail: "the account created 4 keys within 24 hours",
    });
  });

  test("an owner can delete the account and sign up again twice a day, but not a third time", async () => {
    for (let deleted = 0; deleted < 3; deleted += 1)
      await deleteAccount(await signUpSession("73"), "73");
    expect(await signUp("73")).toEqual({ kind: "too_many" });
    expect((await signUp("74")).kind).toBe("signed_in");
    service.clock.move(86_400_001);
    expect((await signUp("73")).kind).toBe("signed_in");
    operator = await service.signIn({ role: "operator" });
  });
});

describe("an account with its own limits", () => {
  test("an account with its own limits shares them between all keys and dashboard searches", async () => {
    const session = await service.signIn();
    await limit(session.accountId, { submissions_per_minute: 2 });
    const [first, second] = [await sessionKey(session), await sessionKey(session)];
    expect((await service.submit(first.token, search("comet"))).statusCode).toBe(202);
    expect((await submitAs(session)).statusCode).toBe(202);
    const refused = await service.submit(second.token, search("comet"));
    expect([refused.statusCode, refused.headers.ratelimit]).toEqual([
      429,
      expect.stringContaining('"search";r=0;'),
    ]);
    expect((await submitAs(session)).statusCode).toBe(429);
    const listed = (await service.callAs(session, { url: keysPath })).json();
    const left = listed.keys.map((key: { left: { submissions: number } }) => key.left.submissions);
    expect(left).toEqual([0, 0]);
    const withoutLimits = await service.signIn();
    const keys = [await sessionKey(withoutLimits), await sessionKey(withoutLimits)];
    for (const { token } of keys) {
      for (let submitted = 0; submitted < 3; submitted += 1) {
        expect((await service.submit(token, search("comet"))).statusCode).toBe(202);
      }
    }
  });

  test("an account with its own limits has one request rate for all its keys and a separate one for the dashboard", async () => {
    const session = await service.signIn();
    const tokens = [(await sessionKey(session)).token, (await sessionKey(session)).token];
    await limit(session.accountId, { requests_per_second: 2 });
    service.clock.move(1_001);
    const statuses = async (request: () => Promise<{ statusCode: number }>) =>
      (await Promise.all([request(), request(), request()]))
        .map(({ statusCode }) => statusCode)
        .toSorted();
    let next = 0;
    const byKeys = () =>
      service.call(tokens[next++ % 2] ?? "", { url: "/v1/search/live/social/jobs" });
    expect(await statuses(byKeys)).toEqual([200, 200, 429]);
    const inDashboard = () => service.callAs(session, { url: keysPath });
    expect(await statuses(inDashboard)).toEqual([200, 200, 429]);
  });
});

test("a rotated key ends when its successor is revoked", async () => {
  const session = await service.signIn();
  const { id, token } = await sessionKey(session);
  const rotated = await service.callAs(session, {
    method: "POST",
    url: `${keysPath}/${id}/rotate`,
    payload: { overlap_hours: 168 },
  });
  const url = "/v1/search/live/social/jobs";
  expect((await service.call(token, { url })).statusCode).toBe(200);
  await service.callAs(session, { method: "DELETE", url: `${keysPath}/${rotated.json().key.id}` });
  expect((await service.call(token, { url })).statusCode).toBe(401);
});

test("an expired key stays expired when the clock is set back", async () => {
  const session = await service.signIn();
  const response = await service.callAs(session, {
    method: "POST",
    url: keysPath,
    payload: { name: "laptop", expires_at: new Date(service.clock.now() + 60_000).toISOString() },
  });
  const { token } = response.json();
  const url = "/v1/search/live/social/jobs";
  expect((await service.call(token, { url })).statusCode).toBe(200);
  service.clock.move(61_000);
  expect((await service.call(token, { url })).statusCode).toBe(401);
  service.clock.shiftWall(-3_600_000);
  expect((await service.call(token, { url })).statusCode).toBe(401);
  service.clock.shiftWall(3_600_000);
});
