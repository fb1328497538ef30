import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestAccounts, type TestAccounts } from "../../../testkit/service/accounts.ts";
import { runNow } from "../../db/statements.ts";
import { hashSecret, parseApiKey } from "../api-key.ts";
import { authenticate } from "../authenticate.ts";
import { defaultLimits } from "../limits.ts";
import type { CreatedOwnKey, KeyChoice, NewOwnKey } from "./own-operations.ts";

let accounts: TestAccounts;
let accountId: string;
beforeEach(async () => {
  accounts = createTestAccounts();
  const key = await accounts.makeKey();
  accountId = key.accountId;
  await accounts.store.write("revokeKey", { id: key.id, actor: "command_line", nowMs: 6 });
});
afterEach(() => accounts.remove());

const limits = defaultLimits;
const choice: KeyChoice = {
  name: "laptop",
  methods: null,
  requestsPerSecond: null,
  submissionsPerMinute: null,
  expiresMs: null,
};

async function make(options: Partial<NewOwnKey> = {}): Promise<CreatedOwnKey> {
  return await accounts.store.write("createOwnKey", {
    ...choice,
    accountId,
    limits,
    maxKeys: 5,
    newPerDay: 100,
    nowMs: 10,
    ...options,
  });
}

async function change(id: string, changes: Partial<KeyChoice>, nowMs = 20) {
  return await accounts.store.write("changeKey", { accountId, limits, id, changes, nowMs });
}

function getCaller(token: string, nowMs = 30) {
  const { id = "", secret = "" } = parseApiKey(token) ?? {};
  const secretHash = hashSecret(secret);
  return runNow(
    authenticate(accounts.database.forOperations, { id, secretHash, nowMs, ...limits }),
  );
}

function auditEntries(): { action: string; detail: Record<string, unknown> }[] {
  return accounts.database
    .all<{ action: string; detail: string }>("SELECT action, detail FROM audit ORDER BY sequence")
    .map(({ action, detail }) => ({ action, detail: JSON.parse(detail) }));
}

describe("rates", () => {
  test("a key has the lower of its own and its account's rates", async () => {
    const { key, token } = await make({ submissionsPerMinute: 8 });
    expect(key.ownLimits).toEqual({ requestsPerSecond: null, submissionsPerMinute: 8 });
    expect(getCaller(token)).toMatchObject({ requestsPerSecond: 3, submissionsPerMinute: 8 });
    accounts.database.run(
      "UPDATE account SET submissions_per_minute = 5, requests_per_second = 40",
    );
    expect(getCaller(token)).toMatchObject({ requestsPerSecond: 40, submissionsPerMinute: 5 });
    accounts.database.run("UPDATE account SET submissions_per_minute = 50");
    expect(getCaller(token)).toMatchObject({ submissionsPerMinute: 8 });
    await change(key.id, { submissionsPerMinute: 50 });
    await expect(change(key.id, { submissionsPerMinute: 51 })).rejects.toMatchObject({
      code: "invalid_request",
      details: [{ pointer: "/submissions_per_minute" }],
    });
  });

  test("the account owner can lower and restore the rates that the command line gave a key, but not raise them", async () => {
    const raised = await accounts.makeKey({ accountName: "newsroom", submissionsPerMinute: 600 });
    accountId = raised.accountId;
    const { id, token } = raised;
    await change(id, { submissionsPerMinute: 300 });
    expect(getCaller(token)).toMatchObject({ submissionsPerMinute: 300 });
    await expect(change(id, { submissionsPerMinute: 601 })).rejects.toMatchObject({
      code: "invalid_request",
    });
    await change(id, { submissionsPerMinute: null });
    expect(getCaller(token)).toMatchObject({ submissionsPerMinute: 600 });
    await expect(make({ submissionsPerMinute: 11 })).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  test("the rates, methods and expiry of a key pass to its successor", async () => {
    const raised = await accounts.makeKey({
      name: "nightly",
      accountName: "newsroom",
      submissionsPerMinute: 600,
      methods: ["getbyid", "gettrends"],
      expiresMs: 1_000,
    });
    accountId = raised.accountId;
    await change(raised.id, { submissionsPerMinute: 300, requestsPerSecond: 2 });
    const successor = await accounts.store.write("rotateKey", {
      id: raised.id,
      actor: { accountId },
      overlapMs: 100,
      newPerDay: 100,
      nowMs: 40,
    });
    expect(getCaller(successor.token, 999)).toMatchObject({
      keyId: successor.id,
      ratesKeyId: successor.id,
      requestsPerSecond: 2,
      submissionsPerMinute: 300,
      methods: ["getbyid", "gettrends"],
    });
    expect(getCaller(successor.token, 1_000)).toBeNull();
    expect(getCaller(raised.token, 139)).toMatchObject({ ratesKeyId: successor.id });
    expect(getCaller(raised.token, 140)).toBeNull();
  });
});

describe("a rotation", () => {
  const rotate = (id: string, overlapMs: number, nowMs: number) =>
    accounts.store.write("rotateKey", {
      id,
      actor: { accountId },
      overlapMs,
      newPerDay: 100,
      nowMs,
    });

  test("rotating a key does not extend its validity", async () => {
    const { key, token } = await make({ expiresMs: 100 });
    await rotate(key.id, 1_000, 50);
    expect(getCaller(token, 99)).not.toBeNull();
    expect(getCaller(token, 100)).toBeNull();
  });

  test("two concurrent rotations of a key create one successor", async () => {
    const { key } = await make();
    const outcomes = await Promise.allSettled([
      rotate(key.id, 1_000, 50),
      rotate(key.id, 1_000, 50),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(outcomes[1]).toMatchObject({ reason: { code: "key_ended" } });
  });

  test("refused key rotations and key creations are not audited", async () => {
    const before = auditEntries();
    await expect(rotate("nobody00", 1_000, 50)).rejects.toMatchObject({ code: "key_not_found" });
    await expect(make({ maxKeys: 0 })).rejects.toMatchObject({ code: "too_many_keys" });
    await expect(make({ name: "" })).rejects.toMatchObject({ code: "invalid_request" });
    expect(auditEntries()).toEqual(before);
  });
});

describe("a key with higher rates than its account", () => {
  const makeRaisedKey = async () => {
    const raised = await accounts.makeKey({
      accountName: "newsroom",
      submissionsPerMinute: 600,
      methods: ["getbyid", "gettrends"],
      expiresMs: 1_000,
    });
    accountId = raised.accountId;
    return raised.id;
  };
  const refusedError = (pointer: string) => ({ code: "invalid_request", details: [{ pointer }] });

  test("the account owner can neither extend the successor of a key with higher rates than the account, nor give it more methods", async () => {
    const id = await makeRaisedKey();
    const rotation = { id, actor: { accountId }, overlapMs: 10, newPerDay: 100, nowMs: 15 };
    const successor = await accounts.store.write("rotateKey", rotation);
    for (const expiresMs of [null, 1_001]) {
      await expect(change(successor.id, { expiresMs })).rejects.toMatchObject(
        refusedError("/expires_at"),
      );
    }
    for (const methods of [null, ["getbyid", "searchbyquery"] as const]) {
      await expect(change(successor.id, { methods })).rejects.toMatchObject(
        refusedError("/methods"),
      );
    }
    await change(successor.id, { expiresMs: 999, methods: ["gettrends"], name: "nightly" });
  });

  test("the account owner can extend a key with higher rates than the account once the account's rates are as high", async () => {
    const id = await makeRaisedKey();
    accounts.database.run("UPDATE account SET submissions_per_minute = 600");
    await change(id, { expiresMs: null, methods: null });
  });
});

describe("the number of keys", () => {
  test("the number of keys includes each valid key, except those with a valid successor", async () => {
    const { key } = await make({ maxKeys: 1 });
    const rotation = {
      id: key.id,
      actor: { accountId },
      overlapMs: 1_000,
      newPerDay: 100,
      nowMs: 15,
    };
    const successor = await accounts.store.write("rotateKey", rotation);
    await expect(make({ maxKeys: 1, nowMs: 20 })).rejects.toMatchObject({ code: "too_many_keys" });
    await change(successor.id, { expiresMs: 30 });
    await expect(make({ maxKeys: 1, nowMs: 40 })).rejects.toMatchObject({ code: "too_many_keys" });
    await accounts.store.write("revokeKey", { id: successor.id, actor: { accountId }, nowMs: 41 });
    await make({ maxKeys: 1, nowMs: 42 });
  });
});

test("each action on a key is audited with its changes, but without the key's name", async () => {
  const before = auditEntries().length;
  const { key } = await make({ name: "canary", methods: ["gettrends"], requestsPerSecond: 2 });
  await change(key.id, { name: "canary two", expiresMs: 500 });
  await change(key.id, {});
  await accounts.store.write("revokeKey", { id: key.id, actor: { accountId }, nowMs: 30 });
  await accounts.store.write("revokeKey", { id: key.id, actor: { accountId }, nowMs: 31 });
  expect(auditEntries().slice(before)).toEqual([
    {
      action: "key_created",
      detail: {
        requests_per_second: 2,
        submissions_per_minute: null,
        methods: "gettrends",
        expires_at: null,
      },
    },
    {
      action: "key_changed",
      detail: { renamed: true, expires_at: "1970-01-01T00:00:00.500Z" },
    },
    { action: "key_revoked", detail: {} },
  ]);
  expect(JSON.stringify(accounts.database.all("SELECT * FROM audit"))).not.toContain("canary");
});

test("ended keys are listed for a while, newest first", async () => {
  const old = await make({ nowMs: 100 });
  const expired = await make({ nowMs: 101, expiresMs: 200 });
  const live = await make({ nowMs: 102 });
  await accounts.store.write("revokeKey", { id: old.key.id, actor: { accountId }, nowMs: 150 });
  const idsSince = async (endedSinceMs: number) =>
    (await accounts.store.read("listOwnKeys", { accountId, limits, endedSinceMs })).map(
      ({ id }) => id,
    );
  expect(await idsSince(140)).toEqual([live.key.id, expired.key.id, old.key.id]);
  expect(await idsSince(150)).toEqual([live.key.id, expired.key.id]);
  expect(await idsSince(200)).toEqual([live.key.id]);
});

test("an account for which the command line created a key gets no first key", async () => {
  await expect(
    accounts.store.write("issueFirstKey", { accountId, limits, maxKeys: 5, nowMs: 10 }),
  ).rejects.toMatchObject({ code: "first_key_shown" });
});
