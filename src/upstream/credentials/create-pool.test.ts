import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type CredentialBench,
  openCredentialBench,
} from "../../../testkit/upstreams/credentials.ts";
import { createEncryptor } from "../../lib/encryption.ts";
import { encryptSecrets } from "./encrypt-secrets.ts";
import type { CredentialPool } from "./pool.ts";

let bench: CredentialBench;
let pool: ReturnType<CredentialBench["pool"]>;

beforeEach(() => {
  bench = openCredentialBench();
  pool = bench.pool();
});

afterEach(async () => {
  await pool.stop();
  bench.close();
});

type ChoiceRequest = Parameters<CredentialPool["choose"]>[0];

const baseRequest: ChoiceRequest = {
  platform: "x",
  accountId: "ann",
  access: "app",
  ownership: "any",
  bucket: "search",
  host: null,
};

async function chooseIds(
  changes: Partial<ChoiceRequest> = {},
  sourcePool: CredentialPool = pool,
): Promise<string[]> {
  const credentials = await sourcePool.choose({ ...baseRequest, ...changes });
  return credentials.map(({ credential }) => credential.id);
}

async function refuse(id: string, reason: string): Promise<void> {
  const storedCredential = await bench.store.read("readCredential", { id });
  await pool.quarantine(id, storedCredential?.revision ?? Number.NaN, reason);
}

describe("the choice of credentials", () => {
  test("the pool prefers the account's own credentials to the deployment's, and never uses another account's", async () => {
    await bench.put("shared");
    await bench.put("anns", { accountId: "ann" });
    await bench.put("bens", { accountId: "ben" });
    expect(await chooseIds()).toEqual(["anns", "shared"]);
    expect(await chooseIds({ accountId: "ben" })).toEqual(["bens", "shared"]);
    expect(await chooseIds({ accountId: "nobody" })).toEqual(["shared"]);
    expect(await chooseIds({ ownership: "own" })).toEqual(["anns"]);
    expect(await chooseIds({ ownership: "own", accountId: "nobody" })).toEqual([]);
    expect(await pool.find("ann", "bens")).toBeNull();
    expect(await pool.find("ben", "bens")).toMatchObject({ owner: "account" });
    expect(await pool.find("ben", "shared")).toMatchObject({ owner: "deployment" });
    expect(await pool.find("ben", "nothing")).toBeNull();
  });

  test("the choice of credentials is narrowed by access, platform and host, and skips unknown kinds", async () => {
    await bench.put("app");
    await bench.put("user", { kind: "user-token" });
    await bench.put("elsewhere", { host: "https://other.example" });
    await bench.put("strange", { kind: "carrier-pigeon" });
    expect(await chooseIds()).toEqual(["app", "elsewhere"]);
    expect(await chooseIds({ access: "user" })).toEqual(["user"]);
    expect(await chooseIds({ platform: "mastodon" })).toEqual([]);
    expect(await chooseIds({ host: "https://other.example" })).toEqual(["elsewhere"]);
  });

  test("the pool lists each configured owner and access once, even while cooling", async () => {
    await bench.put("one");
    await bench.put("two");
    await bench.put("anns", { accountId: "ann", kind: "user-token" });
    pool.startCooldown("one", "search", bench.clock.now() + 1_000, "used up");
    const methods = await pool.configured("x", "ann");
    expect(methods).toHaveLength(2);
    expect(methods).toContainEqual({ access: "app", owner: "deployment" });
    expect(methods).toContainEqual({ access: "user", owner: "account" });
    expect(await pool.configured("bluesky", "ann")).toEqual([]);
  });
});

describe("the order", () => {
  test("the least recently used credential is chosen first, and an unused one before all others", async () => {
    await bench.put("one");
    await bench.put("two");
    await bench.put("three");
    pool.recordUse("two");
    pool.recordUse("three");
    pool.recordUse("one");
    expect(await chooseIds()).toEqual(["two", "three", "one"]);
    await bench.put("four");
    expect((await chooseIds())[0]).toBe("four");
  });

  test("concurrent choices are spread over the pool of credentials", async () => {
    for (const id of ["one", "two", "three"]) await bench.put(id);
    const firsts = await Promise.all(Array.from({ length: 9 }, async () => (await chooseIds())[0]));
    for (const id of ["one", "two", "three"]) {
      expect(firsts.filter((first) => first === id)).toHaveLength(3);
    }
  });

  test("the last use of a credential is stored at most once a minute, and restored after a restart", async () => {
    await bench.put("one");
    await bench.put("two");
    const startMs = bench.clock.now();
    const usedMs = async () =>
      (await bench.store.read("readCredential", { id: "one" }))?.credential.usedMs;
    pool.recordUse("one");
    await bench.clock.advance(59_999);
    pool.recordUse("one");
    await pool.stop();
    expect(await usedMs()).toBe(startMs);
    await bench.clock.advance(1);
    pool.recordUse("one");
    await pool.stop();
    expect(await usedMs()).toBe(startMs + 60_000);
    expect(await chooseIds({}, bench.pool())).toEqual(["two", "one"]);
  });
});

describe("cooling", () => {
  test("used-up credentials come last in their bucket until they reopen, ordered by when they reopen", async () => {
    const nowMs = bench.clock.now();
    await bench.put("anns", { accountId: "ann" });
    await bench.put("shared");
    await bench.put("other");
    pool.recordUse("other");
    pool.startCooldown("anns", "search", nowMs + 2_000, "429");
    pool.startCooldown("shared", "search", nowMs + 1_000, "429");
    const credentials = await pool.choose(baseRequest);
    expect(
      credentials.map(({ credential, cooldownUntilMs }) => [credential.id, cooldownUntilMs]),
    ).toEqual([
      ["other", null],
      ["shared", nowMs + 1_000],
      ["anns", nowMs + 2_000],
    ]);
    expect((await chooseIds({ bucket: "timeline" }))[0]).toBe("anns");
    expect((await chooseIds({ bucket: null }))[0]).toBe("anns");
    expect(await pool.find("ann", "shared", "search")).toMatchObject({
      cooldownUntilMs: nowMs + 1_000,
    });
    await bench.clock.advance(1_000);
    expect((await chooseIds()).at(-1)).toBe("anns");
    await bench.clock.advance(1_000);
    expect((await chooseIds())[0]).toBe("anns");
  });

  test("the cooldown of a credential survives a restart and is listed with its reason", async () => {
    const nowMs = bench.clock.now();
    await bench.put("one");
    pool.startCooldown("one", "search", nowMs + 1_000, "429 of api.x.example");
    await pool.stop();
    const [listed] = await bench.store.read("listCredentials", null);
    expect(listed?.coolings).toEqual([
      { bucket: "search", untilMs: nowMs + 1_000, reason: "429 of api.x.example" },
    ]);
    expect(await bench.pool().find("ann", "one", "search")).toMatchObject({
      cooldownUntilMs: nowMs + 1_000,
    });
  });

  test("the cooldown of a credential ends when its secret is replaced, but not when it is renewed", async () => {
    const untilMs = bench.clock.now() + 60_000;
    const cooldownUntilMs = async () => (await pool.choose(baseRequest))[0]?.cooldownUntilMs;
    await bench.put("one");
    const [first] = await pool.choose(baseRequest);
    pool.startCooldown("one", "search", untilMs, "429");
    await first?.credentialInUse.renew(first.credentialInUse.secrets(), async () => ({
      token: "renewed",
    }));
    expect(await cooldownUntilMs()).toBe(untilMs);
    await bench.put("one", { secrets: { token: "replaced" } });
    expect(await cooldownUntilMs()).toBeNull();
    pool.startCooldown("one", "search", untilMs, "429 once more");
    expect(await cooldownUntilMs()).toBe(untilMs);
  });

  test("a cooldown whose end is invalid or past is ignored, and an endless one is limited to a day", async () => {
    const nowMs = bench.clock.now();
    await bench.put("one");
    for (const reported of [Number.NaN, Number.NEGATIVE_INFINITY, nowMs, 0]) {
      pool.startCooldown("one", "search", reported, "odd");
      expect((await pool.choose(baseRequest))[0]?.cooldownUntilMs).toBeNull();
    }
    pool.startCooldown("one", "search", Number.POSITIVE_INFINITY, "odd");
    expect((await pool.choose(baseRequest))[0]?.cooldownUntilMs).toBe(nowMs + 86_400_000);
  });
});

describe("quarantine", () => {
  test("a credential that the platform refuses is quarantined, with a one-line reason without secrets", async () => {
    await bench.put("one");
    await bench.put("two");
    await chooseIds();
    await refuse("one", "api.x.example\nreturned 401 to one-token\u001b[31m");
    expect(await chooseIds()).toEqual(["two"]);
    expect(await pool.find("ann", "one")).toBeNull();
    const [listed] = await bench.store.read("listCredentials", null);
    expect(listed?.quarantine).toEqual({
      sinceMs: bench.clock.now(),
      reason: "api.x.example returned 401 to …[31m",
    });
  });

  test("the reason of a quarantine is reported only to the owner", async () => {
    await bench.put("own", { accountId: "ann" });
    await bench.put("of all");
    await refuse("own", "returned 401");
    await refuse("of all", "returned 403");
    expect(await pool.refusal("x", "ann")).toBe("returned 401");
    expect(await pool.refusal("mastodon", "ann")).toBeNull();
    expect(await pool.refusal("x", "ben")).toBeNull();
  });

  test("a refusal of a replaced secret quarantines nothing", async () => {
    await bench.put("one");
    const [replacedCredential] = await pool.choose(baseRequest);
    const revision = replacedCredential?.revision() ?? Number.NaN;
    await bench.put("one", { secrets: { token: "renewed" } });
    const [currentCredential] = await pool.choose(baseRequest);
    expect(currentCredential?.credentialInUse.secrets()).toEqual({ token: "renewed" });
    await pool.quarantine("one", revision, "401 to the replaced secret");
    expect(await chooseIds()).toEqual(["one"]);
    await pool.quarantine("one", currentCredential?.revision() ?? Number.NaN, "401 once more");
    expect(await chooseIds()).toEqual([]);
  });

  test("changes made with the command line apply to the next choice", async () => {
    await bench.put("one");
    await refuse("one", "refused");
    expect(await chooseIds()).toEqual([]);
    await bench.store.write("liftCredentialQuarantine", { id: "one" });
    expect(await chooseIds()).toEqual(["one"]);
    await bench.put("two");
    expect(await chooseIds()).toEqual(["two", "one"]);
    await bench.store.write("removeCredential", { id: "one" });
    expect(await chooseIds()).toEqual(["two"]);
    await refuse("two", "refused");
    await bench.put("two", { secrets: { token: "renewed" } });
    expect((await pool.choose(baseRequest))[0]?.credentialInUse.secrets()).toEqual({
      token: "renewed",
    });
  });

  test("a credential encrypted with another key is quarantined, and the others remain usable", async () => {
    const otherEncryptor = createEncryptor(
      new Uint8Array(32).fill(9),
      (length) => new Uint8Array(length),
    );
    await bench.put("one");
    await bench.put("two", {
      encryptedSecret: encryptSecrets(
        otherEncryptor,
        { id: "two", accountId: null },
        { token: "two-token" },
      ),
    });
    expect(await chooseIds()).toEqual(["one"]);
    const listed = await bench.store.read("listCredentials", null);
    expect(listed.map(({ id, quarantine }) => [id, quarantine?.reason ?? null])).toEqual([
      ["one", null],
      ["two", expect.stringMatching(/two was not encrypted with the current key/)],
    ]);
  });

  test("a secret copied to another account cannot be decrypted", async () => {
    await bench.put("anns", { accountId: "ann", secrets: { token: "of ann" } });
    expect(await chooseIds()).toEqual(["anns"]);
    bench.database.run("UPDATE credential SET account_id = 'ben' WHERE id = 'anns'");
    expect(await chooseIds({ accountId: "ben" })).toEqual([]);
    await bench.put("bens", { accountId: "ben" });
    bench.database.run(
      "UPDATE credential SET sealed_secret = (SELECT sealed_secret FROM credential WHERE id = 'anns') WHERE id = 'bens'",
    );
    expect(await chooseIds({ accountId: "ben" })).toEqual([]);
    bench.database.run(
      "UPDATE credential SET account_id = NULL, quarantined_ms = NULL WHERE id = 'anns'",
    );
    expect(await chooseIds()).toEqual([]);
  });
});

test("concurrent choices of an account for several platforms share one read of the store", async () => {
  await bench.put("anns", { accountId: "ann" });
  await bench.put("bens", { accountId: "ben" });
  await bench.put("toots", { platform: "mastodon", kind: "app-token" });
  const reads: unknown[] = [];
  const countingPool = bench.pool({
    store: {
      ...bench.store,
      read: (name, args) => {
        if (name === "usableCredentials") reads.push(args);
        return bench.store.read(name, args);
      },
    },
  });
  const results = await Promise.all([
    chooseIds({}, countingPool),
    chooseIds({ access: "user" }, countingPool),
    chooseIds({ platform: "mastodon" }, countingPool),
    countingPool.configured("mastodon", "ann"),
    chooseIds({ accountId: "ben" }, countingPool),
  ]);
  expect(results[0]).toEqual(["anns"]);
  expect(results[4]).toEqual(["bens"]);
  expect(reads).toEqual([
    { accountId: "ann", platforms: ["x", "mastodon"] },
    { accountId: "ben", platforms: ["x"] },
  ]);
  await bench.put("more", { accountId: "ann" });
  expect((await chooseIds({}, countingPool)).toSorted()).toEqual(["anns", "more"]);
  expect(reads).toHaveLength(3);
  await countingPool.stop();
});
