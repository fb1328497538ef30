import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type CredentialBench,
  openCredentialBench,
} from "../../../testkit/upstreams/credentials.ts";
import { createLocalStore } from "../../db/local-store.ts";
import type { Store } from "../../db/operations.ts";
import { accountCredentialOperations } from "./operations.ts";

let bench: CredentialBench;
let store: Store<typeof accountCredentialOperations>;
beforeEach(() => {
  bench = openCredentialBench();
  bench.database.run("UPDATE account SET audit_id = 'audit-' || id");
  store = createLocalStore(bench.database, accountCredentialOperations);
});
afterEach(() => bench.close());

const storedCredential = (id: string, accountId: string | null) => ({
  id,
  accountId,
  platform: "x" as const,
  kind: "app-token",
  host: "https://api.x.example",
  subject: null,
  subjectName: null,
  hint: "abcd",
  encryptedSecret: new Uint8Array([1, 2, 3]),
  maxOfOwner: 2,
  nowMs: 5,
});

const audit = () => bench.database.all("SELECT action, actor, subject, detail FROM audit", {});
const ids = () => bench.database.all<{ id: string }>("SELECT id FROM credential", {});

test("adding and removing a credential is audited with actor and subject, without the secret", async () => {
  await store.write("addCredential", {
    ...storedCredential("one", "ann"),
    actor: { accountId: "ann" },
  });
  await store.write("addCredential", { ...storedCredential("one", "ann"), actor: "command_line" });
  await store.write("addCredential", { ...storedCredential("two", null), actor: "command_line" });
  const owner = { accountId: "ann" };
  const dropped = { id: "one", owner, actor: owner, nowMs: 6 };
  expect(await store.write("dropCredential", dropped)).toBe(true);
  const kind = { platform: "x", kind: "app-token" };
  const detail = (replaces: boolean) => JSON.stringify({ ...kind, replaces });
  expect(audit()).toEqual([
    { action: "credential_added", actor: "audit-ann", subject: "audit-ann", detail: detail(false) },
    {
      action: "credential_added",
      actor: "command_line",
      subject: "audit-ann",
      detail: detail(true),
    },
    { action: "credential_added", actor: "command_line", subject: null, detail: detail(false) },
    {
      action: "credential_removed",
      actor: "audit-ann",
      subject: "audit-ann",
      detail: JSON.stringify(kind),
    },
  ]);
});

test("an account cannot remove another account's credential, and nothing is audited", async () => {
  for (const accountId of ["ann", null]) {
    await store.write("addCredential", {
      ...storedCredential(`of ${accountId}`, accountId),
      actor: "service",
    });
  }
  const asBen = { owner: { accountId: "ben" }, actor: { accountId: "ben" }, nowMs: 6 };
  for (const id of ["of ann", "of null", "none"]) {
    expect(await store.write("dropCredential", { id, ...asBen })).toBe(false);
  }
  expect(ids()).toHaveLength(2);
  expect(audit()).toHaveLength(2);
  const asOperator = { id: "of ann", owner: null, actor: "command_line" as const, nowMs: 6 };
  expect(await store.write("dropCredential", asOperator)).toBe(true);
});

test("a suspended account cannot add a credential, and the refusal is not audited", async () => {
  bench.database.run("UPDATE account SET suspended_ms = 5 WHERE id = 'ann'");
  const actor = { accountId: "ann" };
  await expect(
    store.write("addCredential", { ...storedCredential("one", "ann"), actor }),
  ).rejects.toMatchObject({ code: "account_suspended" });
  expect([ids(), audit()]).toEqual([[], []]);
});
