import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestAccounts, type TestAccounts } from "./accounts.test-support.ts";
import { hashSecret, newApiKey, parseApiKey } from "./api-key.ts";
import { authenticate } from "./authenticate.ts";

let accounts: TestAccounts;
beforeEach(() => {
  accounts = createTestAccounts();
});
afterEach(() => accounts.remove());

const callerOf = (id: string, secret: string) =>
  authenticate(accounts.database, id, hashSecret(secret));

test("a key names its caller, with the key's own limits", async () => {
  const { id, accountId, token } = await accounts.makeKey({ submissionsPerMinute: 1_000_000 });
  expect(callerOf(id, parseApiKey(token)?.secret ?? "")).toEqual({
    keyId: id,
    accountId,
    requestsPerSecond: null,
    submissionsPerMinute: 1_000_000,
  });
});

test("a wrong secret and an unknown id name nobody", async () => {
  const { id, token } = await accounts.makeKey();
  const other = newApiKey(randomBytes);
  expect(callerOf(id, other.secret)).toBeNull();
  expect(callerOf(other.id, parseApiKey(token)?.secret ?? "")).toBeNull();
});

test("a revoked key names nobody at once", async () => {
  const { id, token } = await accounts.makeKey();
  await accounts.store.write("revokeKey", { id });
  expect(callerOf(id, parseApiKey(token)?.secret ?? "")).toBeNull();
});
