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

test("the list tells everything but the secret, with the names of accounts, oldest first", async () => {
  const nowMs = bench.clock.now();
  await bench.keep("anns", {
    accountId: "ann",
    subject: "1",
    subjectName: "@ann",
    nowMs: nowMs + 1,
  });
  await bench.keep("shared", { hint: "abcd" });
  const all = await bench.store.read("listCredentials", null);
  expect(all).toEqual([
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

test("the database holds no secret", async () => {
  await bench.keep("one", { secrets: { token: "canary-4f8e1b2c9d7a6053" } });
  const rows = bench.database.all("SELECT *, hex(sealed_secret) AS hex FROM credential");
  expect(JSON.stringify(rows)).not.toContain("canary");
  expect(JSON.stringify(rows)).not.toContain(Buffer.from("canary").toString("hex").toUpperCase());
});

test("a secret changes for whoever knows its revision, once", async () => {
  await bench.keep("one");
  const change = { id: "one", revision: 0, sealedSecret: new Uint8Array([1]) };
  expect(await bench.store.write("changeCredentialSecret", change)).toBe(true);
  expect(await bench.store.write("changeCredentialSecret", change)).toBe(false);
  expect(await read("one")).toMatchObject({ revision: 1, sealedSecret: new Uint8Array([1]) });
  expect(await bench.store.write("changeCredentialSecret", { ...change, id: "two" })).toBe(false);
});

test("a quarantine keeps its first time and its last reason; keeping it again ends it, and its coolings", async () => {
  await bench.keep("one");
  const nowMs = bench.clock.now();
  const quarantine = { id: "one", revision: 0, reason: "first", nowMs };
  await bench.store.write("quarantineCredential", quarantine);
  await bench.store.write("quarantineCredential", {
    ...quarantine,
    reason: "last",
    nowMs: nowMs + 1,
  });
  const cooling = { id: "one", bucket: "a", untilMs: nowMs + 9, reason: "429", nowMs };
  await bench.store.write("coolCredential", cooling);
  expect((await read("one"))?.credential).toMatchObject({
    quarantine: { sinceMs: nowMs, reason: "last" },
    coolings: [{ bucket: "a" }],
  });
  await bench.keep("one", { subjectName: "renamed" });
  expect(await read("one")).toMatchObject({
    revision: 1,
    credential: { quarantine: null, coolings: [], subjectName: "renamed", createdMs: nowMs },
  });
  expect(await bench.store.write("releaseCredential", { id: "one" })).toBe(false);
});

test("a bucket that is open again is forgotten at the next cooling; a removed credential takes its own along", async () => {
  await bench.keep("one");
  const cool = async (bucket: string, untilMs: number, nowMs: number) =>
    await bench.store.write("coolCredential", { id: "one", bucket, untilMs, reason: "", nowMs });
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

test("an owner has a hundred credentials of a platform; another owner is not concerned", async () => {
  for (let count = 0; count < 100; count += 1) await bench.keep(`id${count}`);
  await expect(bench.keep("more")).rejects.toMatchObject({ code: "too_many_credentials" });
  await bench.keep("id7");
  await bench.keep("anns", { accountId: "ann" });
  await bench.keep("elsewhere", { platform: "mastodon" });
});

test("a credential belongs to an account that exists", async () => {
  await expect(bench.keep("one", { accountId: "zoe" })).rejects.toMatchObject({
    code: "unknown_account",
  });
});

test("the same credential is found for its owner alone", async () => {
  await bench.keep("anns", { accountId: "ann", subject: "1" });
  const requested = {
    accountId: "ann",
    platform: "x",
    kind: "app-token",
    host: "https://api.x.example",
    subject: "1",
  } as const;
  expect(await bench.store.read("findSameCredential", requested)).toBe("anns");
  for (const other of [
    { accountId: null },
    { accountId: "ben" },
    { subject: "2" },
    { kind: "k" },
  ]) {
    expect(await bench.store.read("findSameCredential", { ...requested, ...other })).toBeNull();
  }
});
