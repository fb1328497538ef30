import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type CredentialBench,
  openCredentialBench,
} from "../../../testkit/upstreams/credentials.ts";

let bench: CredentialBench;

beforeEach(() => {
  bench = openCredentialBench();
});

afterEach(() => bench.close());

const read = async (id: string) => await bench.store.read("readCredential", { id });

test("credentials are listed with everything but the secret, with account names, oldest first", async () => {
  const nowMs = bench.clock.now();
  await bench.put("anns", {
    accountId: "ann",
    subject: "1",
    subjectName: "@ann",
    nowMs: nowMs + 1,
  });
  await bench.put("shared", { hint: "abcd" });
  const credentials = await bench.store.read("listCredentials", null);
  expect(credentials).toEqual([
    {
      id: "shared",
      accountId: null,
      accountName: null,
      platform: "x",
      kind: "app-token",
      host: "https://api.x.example",
      subject: null,
      subjectName: null,
      hint: "abcd",
      createdMs: nowMs,
      usedMs: null,
      quarantine: null,
      coolings: [],
    },
    expect.objectContaining({ id: "anns", accountName: "ann", subjectName: "@ann" }),
  ]);
  const ids = async (accountId: string | null) =>
    (await bench.store.read("listCredentials", { accountId })).map(({ id }) => id);
  expect(await ids("ann")).toEqual(["anns"]);
  expect(await ids("ben")).toEqual([]);
  expect(await ids(null)).toEqual(["shared"]);
});

test("the database contains no plain secret", async () => {
  await bench.put("one", { secrets: { token: "canary-4f8e1b2c9d7a6053" } });
  const rows = bench.database.all("SELECT *, hex(sealed_secret) AS hex FROM credential");
  expect(JSON.stringify(rows)).not.toContain("canary");
  expect(JSON.stringify(rows)).not.toContain(Buffer.from("canary").toString("hex").toUpperCase());
});

test("a secret is changed only at the caller's revision", async () => {
  await bench.put("one");
  const change = { id: "one", revision: 0, encryptedSecret: new Uint8Array([1]) };
  expect(await bench.store.write("changeCredentialSecret", change)).toBe(true);
  expect(await bench.store.write("changeCredentialSecret", change)).toBe(false);
  expect(await read("one")).toMatchObject({ revision: 1, encryptedSecret: new Uint8Array([1]) });
  expect(await bench.store.write("changeCredentialSecret", { ...change, id: "two" })).toBe(false);
});

test("a quarantine keeps its start time and latest reason, and it and all cooldowns end when the credential is stored again", async () => {
  await bench.put("one");
  const nowMs = bench.clock.now();
  const quarantine = { id: "one", revision: 0, reason: "first", nowMs };
  await bench.store.write("quarantineCredential", quarantine);
  await bench.store.write("quarantineCredential", {
    ...quarantine,
    reason: "last",
    nowMs: nowMs + 1,
  });
  const cooling = { id: "one", bucket: "a", untilMs: nowMs + 9, reason: "429", nowMs };
  await bench.store.write("startCredentialCooldown", cooling);
  expect((await read("one"))?.credential).toMatchObject({
    quarantine: { sinceMs: nowMs, reason: "last" },
    coolings: [{ bucket: "a" }],
  });
  await bench.put("one", { subjectName: "renamed" });
  expect(await read("one")).toMatchObject({
    revision: 1,
    credential: { quarantine: null, coolings: [], subjectName: "renamed", createdMs: nowMs },
  });
  expect(await bench.store.write("liftCredentialQuarantine", { id: "one" })).toBe(false);
});

test("a reopened bucket is dropped at the next cooling, and a removed credential's buckets are dropped with it", async () => {
  await bench.put("one");
  const cool = async (bucket: string, untilMs: number, nowMs: number) =>
    await bench.store.write("startCredentialCooldown", {
      id: "one",
      bucket,
      untilMs,
      reason: "",
      nowMs,
    });
  await cool("a", 10, 1);
  await cool("b", 20, 2);
  await cool("b", 30, 10);
  expect((await read("one"))?.credential.coolings).toEqual([
    { bucket: "b", untilMs: 30, reason: "" },
  ]);
  await bench.store.write("removeCredential", { id: "one" });
  await cool("c", 40, 10);
  expect(bench.database.all("SELECT * FROM credential_cooling")).toEqual([]);
});

test("an owner can have a hundred credentials per platform", async () => {
  for (let count = 0; count < 100; count += 1) await bench.put(`id${count}`);
  await expect(bench.put("more")).rejects.toMatchObject({ code: "too_many_credentials" });
  await bench.put("id7");
  await bench.put("anns", { accountId: "ann" });
  await bench.put("elsewhere", { platform: "mastodon" });
});

test("a credential requires an existing account", async () => {
  await expect(bench.put("one", { accountId: "zoe" })).rejects.toMatchObject({
    code: "unknown_account",
  });
});

test("the same credential is found only for its owner", async () => {
  await bench.put("anns", { accountId: "ann", subject: "1" });
  const identity = {
    accountId: "ann",
    platform: "x",
    kind: "app-token",
    host: "https://api.x.example",
    subject: "1",
  } as const;
  expect(await bench.store.read("findSameCredential", identity)).toBe("anns");
  for (const other of [
    { accountId: null },
    { accountId: "ben" },
    { subject: "2" },
    { kind: "k" },
  ]) {
    expect(await bench.store.read("findSameCredential", { ...identity, ...other })).toBeNull();
  }
});
