import { beforeEach, expect, test } from "vitest";
import {
  bearer,
  pooledCredential,
  type TestPool,
  testPool,
} from "../../../testkit/upstreams/sessions.ts";
import type { UsableRelease } from "../credentials/release.ts";
import { findCredentials } from "./create-sessions.ts";

const host = "https://server.example";
const release: UsableRelease = { credential: null as never, hasExpired: () => false };
const requested = {
  platform: "x",
  access: ["user", "app"],
  ownership: "any",
  bucket: null,
  host: null,
} as const;
let pool: TestPool;

beforeEach(() => {
  pool = testPool();
  pool.released = () => pooledCredential("released", host, { owner: "account" });
});

type Special = Partial<Parameters<typeof findCredentials>[1]>;
const found = async (special: Special = {}) =>
  (
    await findCredentials(pool, {
      ...requested,
      job: { accountId: "", released: release },
      ...special,
    })
  ).map(({ credential }) => credential.id);

test("a job uses the credential that was released for it, in addition to the process's own", async () => {
  pool.credentials = [pooledCredential("own", host)];
  expect(await found()).toEqual(["released", "own"]);
  expect(await found({ job: { accountId: "" } })).toEqual(["own"]);
});

test("a release is used only for its platform, access and host", async () => {
  expect(await found({ platform: "mastodon" })).toEqual([]);
  expect(await found({ access: ["user"] })).toEqual([]);
  expect(await found({ host: "https://other.example" })).toEqual([]);
  expect(await found({ host })).toEqual(["released"]);
});

test("a released credential of the deployment is not used if the account's own is required", async () => {
  pool.released = () => pooledCredential("released", host, { kind: bearer });
  expect(await found({ ownership: "own" })).toEqual([]);
});

test("a later page uses only its own credential, if it was released", async () => {
  expect(await found({ credentialId: "released" })).toEqual(["released"]);
  expect(await found({ credentialId: "other" })).toEqual([]);
});

test("an expired release is not used", async () => {
  pool.released = () => null;
  expect(await found()).toEqual([]);
});
