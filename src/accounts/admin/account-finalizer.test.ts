import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLocalStore } from "../../db/local-store.ts";
import { controlMigrations } from "../../db/migrations/control.ts";
import { openStoreForWriting, type SqliteDatabase } from "../../db/open.ts";
import type { Store } from "../../db/operations.ts";
import { runNow } from "../../db/statements.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import { insertAccount } from "../insert-account.ts";
import { type AccountFinalizer, createAccountFinalizer } from "./account-finalizer.ts";
import { changeOperations } from "./change-operations.ts";
import { deletionOperations } from "./deletion-operations.ts";
import { listingOperations } from "./listing-operations.ts";

const operations = { ...changeOperations, ...deletionOperations, ...listingOperations };

let folder: string;
let database: SqliteDatabase;
let store: Store<typeof operations>;
let clock: ManualClock;
let finalizer: AccountFinalizer;
let reported: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-"));
  database = openStoreForWriting(join(folder, "control.db"), controlMigrations);
  store = createLocalStore(database, operations);
  clock = createManualClock();
  reported = [];
  finalizer = createAccountFinalizer({
    store,
    jobs: { endAll: async (accountId) => void reported.push(`jobs of ${findName(accountId)}`) },
    clock,
    onDeleted: (accountId) => void reported.push(`forgotten ${findName(accountId)}`),
    onError: (error) => void reported.push(String(error)),
  });
});
afterEach(async () => {
  await finalizer.stop();
  database.close();
  rmSync(folder, { recursive: true });
});

const names = new Map<string, string>();
const findName = (id: string) => names.get(id);

function createAccount(name: string): string {
  const id = runNow(insertAccount(database.forOperations, { name, nowMs: 1 }, randomBytes));
  names.set(id, name);
  return id;
}

const closeAccount = (accountId: string) =>
  store.write("closeAccount", { accountId, actor: "command_line", nowMs: 2 });

const isLeft = (accountId: string) =>
  database.get("SELECT 1 FROM account WHERE id = :accountId", { accountId }) !== undefined;

describe("ending accounts", () => {
  test("the deletion of an account that another process began is completed, whether it began before or after startup", async () => {
    const [ann, bob] = [createAccount("ann"), createAccount("bob")];
    await closeAccount(ann);
    finalizer.start();
    await clock.advance(0);
    expect([isLeft(ann), reported]).toEqual([false, ["jobs of ann", "forgotten ann"]]);
    await closeAccount(bob);
    await clock.advance(1_000);
    expect([isLeft(bob), reported.at(-1)]).toEqual([false, "forgotten bob"]);
  });

  test("suspending an account ends its jobs once and does not delete the account", async () => {
    const ann = createAccount("ann");
    const suspension = { reason: "" };
    await store.write("changeAccount", {
      accountId: ann,
      actor: "command_line",
      nowMs: 2,
      suspension,
    });
    finalizer.start();
    await clock.advance(3_000);
    expect([isLeft(ann), reported]).toEqual([true, ["jobs of ann"]]);
    expect((await store.read("findAccount", { id: ann, nowMs: 2 }))?.suspendedMs).toBe(2);
  });

  test("accounts that are neither suspended nor closed are left alone", async () => {
    createAccount("ann");
    finalizer.start();
    await clock.advance(10_000);
    expect(reported).toEqual([]);
  });
});

describe("a closed account", () => {
  test("a closed account is neither found nor listed, cannot be closed again, and frees its name", async () => {
    const ann = createAccount("ann");
    await closeAccount(ann);
    const nowMs = 3;
    expect(await store.read("findAccount", { id: ann, nowMs })).toBeNull();
    const part = { query: null, after: null, limit: 10, nowMs };
    expect(await store.read("listAccounts", part)).toEqual({ accounts: [], lastScanned: null });
    await expect(store.read("resolveAccount", { account: "ann" })).rejects.toThrow(
      /account .* not found/,
    );
    await expect(closeAccount(ann)).rejects.toThrow(/account .* not found/);
    expect(createAccount("ann")).not.toBe(ann);
  });

  test("a closed account is deleted in batches of bounded size", async () => {
    const ann = createAccount("ann");
    for (let index = 0; index < 250; index += 1) {
      database.run(
        `INSERT INTO job(uuid, account_id, key_id, request, canonical_query, warnings, state, submitted_ms, deadline_ms)
         VALUES(:uuid, :ann, 'k', '{}', 'comet', '[]', 'received', 1, 1)`,
        { uuid: `uuid-${index}`, ann },
      );
    }
    await closeAccount(ann);
    const jobsLeft = () => database.get<{ jobs: number }>("SELECT count(*) AS jobs FROM job")?.jobs;
    const states: unknown[] = [];
    for (let isMore = true; isMore; ) {
      ({ isMore } = await store.write("dropClosedAccount", { accountId: ann }));
      states.push([jobsLeft(), isLeft(ann)]);
    }
    expect(states).toEqual([
      [200, true],
      [150, true],
      [100, true],
      [50, true],
      [0, true],
      [0, false],
    ]);
  });

  test("an account is not deleted unless it was closed", async () => {
    const ann = createAccount("ann");
    expect(await store.write("dropClosedAccount", { accountId: ann })).toEqual({ isMore: false });
    expect(isLeft(ann)).toBe(true);
  });
});

test("a change of the reason for a suspension is audited, but the reason itself is not", async () => {
  const ann = createAccount("ann");
  for (const reason of ["spam", "spam", "scrapes"]) {
    const request = { accountId: ann, actor: "command_line" as const, nowMs: 2 };
    await store.write("changeAccount", { ...request, suspension: { reason } });
  }
  expect(database.all("SELECT action, detail FROM audit")).toMatchObject([
    { action: "account_suspended", detail: "{}" },
    { action: "account_suspended", detail: '{"reason_changed":true}' },
  ]);
});

describe("resolving an account by its id, its name, or its login with the provider", () => {
  test("an account is found by its login regardless of case, unless two accounts share the login", async () => {
    const [ann, bob, carla] = [createAccount("ann"), createAccount("bob"), createAccount("carla")];
    const login = (accountId: string, provider: string, name: string) =>
      database.run("INSERT INTO identity VALUES(:provider, :accountId, :accountId, :name, 1, 1)", {
        provider,
        accountId,
        name,
      });
    login(bob, "github", "Ann");
    login(carla, "gitlab", "otter");
    login(ann, "github", "OTTER");
    const resolve = (account: string) => store.read("resolveAccount", { account });
    expect(await resolve(ann)).toBe(ann);
    expect(await resolve("ann")).toBe(ann);
    expect(await resolve("GitHub:ANN")).toBe(bob);
    expect(await resolve("github:otter")).toBe(ann);
    database.run("UPDATE identity SET login = 'otter' WHERE account_id = :bob", { bob });
    await expect(resolve("github:Otter")).rejects.toThrow("several accounts are named");
  });

  test("an account is never found by a login without a provider, because users choose their logins", async () => {
    const mallory = createAccount("mallory");
    database.run("INSERT INTO identity VALUES('github', '6', :mallory, 'operator', 1, 1)", {
      mallory,
    });
    await expect(store.read("resolveAccount", { account: "operator" })).rejects.toMatchObject({
      code: "account_not_found",
      hint: "use the login with its provider: github:operator",
    });
  });
});
