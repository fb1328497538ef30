import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTestAccounts, type TestAccounts } from "../../../testkit/service/accounts.ts";
import type { Caller } from "../../accounts/authenticate.ts";
import type { CreatedKey } from "../../accounts/keys/key.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import type { HttpContext } from "../context.ts";
import { type CallerWatch, createCallerWatch } from "./ended-caller.ts";

let accounts: TestAccounts;
let clock: ManualClock;
let watch: CallerWatch["watch"];
beforeEach(() => {
  accounts = createTestAccounts();
  clock = createManualClock();
  watch = watchOver(accounts.store);
});
afterEach(() => accounts.remove());

const idleMs = 1_800_000;

function watchOver(store: Pick<TestAccounts["store"], "read">) {
  const context = {
    accounts: store as HttpContext["accounts"],
    clock,
    dashboard: { sessions: { idleMs } },
  };
  return createCallerWatch(context, new AbortController().signal).watch;
}

function makeCaller({ id, accountId }: Pick<CreatedKey, "id" | "accountId">): Caller {
  const rates = { requestsPerSecond: 1, submissionsPerMinute: 1, ratesKeyId: id };
  return { keyId: id, accountId, methods: null, ...rates };
}

function sessionCaller(accountId: string, sessionId = "one"): Caller {
  return { ...makeCaller({ id: `dashboard-${accountId}`, accountId }), sessionId };
}

function addSession(accountId: string, id = "one"): void {
  accounts.database.run(
    `INSERT INTO session(id, account_id, generation, asker, way, agent, address_group, created_ms, used_ms, rotated_ms, expires_ms)
     VALUES(:id, :accountId, 1, '', 'link', 'a test', '192.0.2.0/24', 0, :nowMs, 0, :expiresMs)`,
    { id, accountId, nowMs: clock.now(), expiresMs: clock.now() + 3_600_000 },
  );
}

test("pending requests of a revoked key, and only those, end within a second", async () => {
  const [revoked, other] = [await accounts.makeKey(), await accounts.makeKey()];
  const ends = [vi.fn(), vi.fn(), vi.fn()];
  for (const [index, key] of [revoked, revoked, other].entries()) {
    watch(makeCaller(key), ends[index] ?? vi.fn());
  }
  await clock.advance(60_000);
  expect(ends.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0]);
  await accounts.store.write("revokeKey", {
    id: revoked.id,
    actor: "command_line",
    nowMs: clock.now(),
  });
  await clock.advance(1_000);
  expect(ends.map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
});

test("pending requests end when their key expires or the account of their session is suspended", async () => {
  const expiring = await accounts.makeKey({ expiresMs: clock.now() + 60_000 });
  const { accountId } = await accounts.makeKey();
  const session = sessionCaller(accountId);
  addSession(accountId);
  const [endKey, endSession] = [vi.fn(), vi.fn()];
  watch(makeCaller(expiring), endKey);
  watch(session, endSession);
  await clock.advance(59_999);
  expect(endKey).not.toHaveBeenCalled();
  await clock.advance(1_000);
  expect(endKey).toHaveBeenCalled();
  expect(endSession).not.toHaveBeenCalled();
  accounts.database.run("UPDATE account SET suspended_ms = 1 WHERE id = :accountId", { accountId });
  await clock.advance(1_000);
  expect(endSession).toHaveBeenCalled();
});

test("pending requests of an ended session end, but not those of the account's other sessions", async () => {
  const { accountId } = await accounts.makeKey();
  const ends = [vi.fn(), vi.fn()];
  for (const [index, id] of ["one", "two"].entries()) {
    addSession(accountId, id);
    watch(sessionCaller(accountId, id), ends[index] ?? vi.fn());
  }
  await clock.advance(1_000);
  expect(ends.map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  accounts.database.run("DELETE FROM session WHERE id = 'one'");
  await clock.advance(1_000);
  expect(ends.map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
});

test("pending requests end when their session has been idle for too long or has expired", async () => {
  const { accountId } = await accounts.makeKey();
  addSession(accountId);
  const end = vi.fn();
  watch(sessionCaller(accountId), end);
  await clock.advance(idleMs - 1_000);
  expect(end).not.toHaveBeenCalled();
  await clock.advance(1_000);
  expect(end).toHaveBeenCalled();
  const endOld = vi.fn();
  addSession(accountId, "old");
  watch(sessionCaller(accountId, "old"), endOld);
  accounts.database.run("UPDATE session SET expires_ms = :nowMs WHERE id = 'old'", {
    nowMs: clock.now(),
  });
  await clock.advance(1_000);
  expect(endOld).toHaveBeenCalled();
});

test("the caller watch queries the store once per check, and not at all if nothing is watched", async () => {
  const read = vi.fn(accounts.store.read);
  const watchCounted = watchOver({ read: read as typeof accounts.store.read });
  const caller = makeCaller(await accounts.makeKey());
  const unwatches = [watchCounted(caller, vi.fn()), watchCounted(caller, vi.fn())];
  await clock.advance(2_000);
  expect(read).toHaveBeenCalledTimes(2);
  for (const unwatch of unwatches) unwatch();
  await clock.advance(60_000);
  expect(read).toHaveBeenCalledTimes(2);
  watchCounted(caller, vi.fn());
  await clock.advance(1_000);
  expect(read).toHaveBeenCalledTimes(3);
});

test("no pending request ends while the store does not respond", async () => {
  const key = await accounts.makeKey();
  const read = vi
    .fn(accounts.store.read)
    .mockRejectedValueOnce(new Error("the store does not respond"));
  const end = vi.fn();
  watchOver({ read: read as typeof accounts.store.read })(makeCaller(key), end);
  await clock.advance(1_000);
  expect(end).not.toHaveBeenCalled();
  await accounts.store.write("revokeKey", {
    id: key.id,
    actor: "command_line",
    nowMs: clock.now(),
  });
  await clock.advance(1_000);
  expect(end).toHaveBeenCalled();
});
