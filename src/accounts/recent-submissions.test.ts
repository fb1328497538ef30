import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestAccounts, type TestAccounts } from "../../testkit/service/accounts.ts";
import { runNow } from "../db/statements.ts";
import type { CreatedKey } from "./keys/key.ts";
import { recentSubmissions } from "./recent-submissions.ts";

const windowMs = 60_000;
const nowMs = 1_700_000_000_000;
const hourMs = 3_600_000;

let accounts: TestAccounts;
let key: CreatedKey;
beforeEach(async () => {
  accounts = createTestAccounts();
  key = await accounts.makeKey();
});
afterEach(() => accounts.remove());

function agesAfter(submittedSeconds: readonly number[]): number[] {
  for (const [index, seconds] of submittedSeconds.entries()) {
    accounts.addJob(key, `${index}`, nowMs + seconds * 1_000);
  }
  return runNow(recentSubmissions(accounts.database.forOperations, nowMs, windowMs)).map(
    ({ ageMs }) => ageMs / 1_000,
  );
}

test("all submissions of the last minute are returned, oldest first", () => {
  expect(agesAfter([-90, -60, -59.9, -30, -30, 0])).toEqual([59.9, 30, 30, 0]);
});

test("all recent submissions are returned regardless of their number", async () => {
  const otherKey = await accounts.makeKey();
  accounts.database.run("BEGIN");
  for (let index = 0; index < 2_500; index += 1) {
    accounts.addJob(index % 2 === 0 ? key : otherKey, `${index}`, nowMs - 100_000 + index * 30);
  }
  accounts.database.run("COMMIT");
  const recent = runNow(recentSubmissions(accounts.database.forOperations, nowMs, windowMs));
  const counted = Array.from({ length: 2_500 }, (_, index) => 100_000 - index * 30).filter(
    (ageMs) => ageMs < windowMs,
  );
  expect(recent.map(({ ageMs }) => ageMs)).toEqual(counted);
  expect(recent.at(-1)?.keyId).toBe(otherKey.id);
});

test("no recent submissions are returned if there are no jobs", () => {
  expect(agesAfter([])).toEqual([]);
});

const hour = hourMs / 1_000;
test.each([
  ["while no server ran", [hour - 90, hour - 50, hour - 10], [40, 0]],
  ["between two submissions", [hour - 30, hour - 20, -15, -5], [25, 15, 15, 5]],
  ["after a quiet time", [hour - 30, -3 * 60], []],
])(
  "if the clock is set back by an hour %s, later submissions bound the age of earlier ones",
  (_, seconds, ages) => {
    expect(agesAfter(seconds)).toEqual(ages);
  },
);

test("a clock that was ahead for a while does not hide earlier or later submissions", () => {
  expect(agesAfter([-50, -40, hour, -20])).toEqual([50, 40, 20, 20]);
});

test("a submission of a rotated key counts against its successor", async () => {
  accounts.addJob(key, "before", nowMs - 1_000);
  const { id } = await accounts.store.write("rotateKey", {
    id: key.id,
    actor: "command_line",
    overlapMs: hourMs,
    newPerDay: 1,
    nowMs,
  });
  const recent = runNow(recentSubmissions(accounts.database.forOperations, nowMs, windowMs));
  expect(recent).toEqual([{ keyId: id, accountId: null, ageMs: 1_000 }]);
});

test("a submission of an account with its own limits also counts against those limits", async () => {
  accounts.addJob(key, "shared", nowMs - 1_000);
  const limitedAccountId = () =>
    runNow(recentSubmissions(accounts.database.forOperations, nowMs, windowMs))[0]?.accountId;
  accounts.database.run("UPDATE account SET submissions_per_minute = 5");
  expect(limitedAccountId()).toBe(key.accountId);
  accounts.database.run("UPDATE api_key SET submissions_per_minute = 60");
  expect(limitedAccountId()).toBeNull();
});
