import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestAccounts, type TestAccounts } from "../../testkit/service/accounts.ts";
import { runNow } from "../db/statements.ts";
import { hashSecret, newApiKey, parseApiKey } from "./api-key.ts";
import { authenticate } from "./authenticate.ts";
import { defaultLimits } from "./limits.ts";

let accounts: TestAccounts;
beforeEach(() => {
  accounts = createTestAccounts();
});
afterEach(() => accounts.remove());

const getCaller = (id: string, secret: string, nowMs = 10) =>
  runNow(
    authenticate(accounts.database.forOperations, {
      id,
      secretHash: hashSecret(secret),
      nowMs,
      ...defaultLimits,
    }),
  );

test("a key identifies its caller, with the key's own limits", async () => {
  const { id, accountId, token } = await accounts.makeKey({ submissionsPerMinute: 1_000_000 });
  expect(getCaller(id, parseApiKey(token)?.secret ?? "")).toEqual({
    keyId: id,
    accountId,
    requestsPerSecond: defaultLimits.requestsPerSecond,
    submissionsPerMinute: 1_000_000,
    accountRequestsPerSecond: null,
    accountSubmissionsPerMinute: null,
    methods: null,
    ratesKeyId: id,
  });
});

test("a key has its account's limits unless the command line gave it its own", async () => {
  const { id, token } = await accounts.makeKey({ submissionsPerMinute: 60 });
  accounts.database.run("UPDATE account SET requests_per_second = 2, submissions_per_minute = 5");
  expect(getCaller(id, parseApiKey(token)?.secret ?? "")).toMatchObject({
    requestsPerSecond: 2,
    submissionsPerMinute: 60,
    accountRequestsPerSecond: 2,
    accountSubmissionsPerMinute: null,
  });
});

test("a key with a wrong secret or an unknown id identifies no caller", async () => {
  const { id, token } = await accounts.makeKey();
  const otherKey = newApiKey(randomBytes);
  expect(getCaller(id, otherKey.secret)).toBeNull();
  expect(getCaller(otherKey.id, parseApiKey(token)?.secret ?? "")).toBeNull();
});

test("a revoked key is rejected immediately", async () => {
  const { id, token } = await accounts.makeKey();
  await accounts.store.write("revokeKey", { id, actor: "command_line", nowMs: 6 });
  expect(getCaller(id, parseApiKey(token)?.secret ?? "")).toBeNull();
});

test("a key is rejected from its expiry time on", async () => {
  const { id, token } = await accounts.makeKey({ expiresMs: 100 });
  const secret = parseApiKey(token)?.secret ?? "";
  expect(getCaller(id, secret, 99)).toMatchObject({ keyId: id });
  expect(getCaller(id, secret, 100)).toBeNull();
});

test("a key of a suspended account is reported as suspended only if its secret is correct", async () => {
  const { id, token } = await accounts.makeKey();
  accounts.database.run("UPDATE account SET suspended_ms = 7");
  expect(getCaller(id, parseApiKey(token)?.secret ?? "")).toBe("suspended");
  expect(getCaller(id, newApiKey(randomBytes).secret)).toBeNull();
});

test("a key is restricted to its methods", async () => {
  const { id, token } = await accounts.makeKey({ methods: ["gettrends", "searchbyquery"] });
  const secret = parseApiKey(token)?.secret ?? "";
  expect(getCaller(id, secret)).toMatchObject({ methods: ["searchbyquery", "gettrends"] });
  accounts.database.run(`UPDATE api_key SET methods = '["a method of another version"]'`);
  expect(getCaller(id, secret)).toMatchObject({ methods: [] });
});
