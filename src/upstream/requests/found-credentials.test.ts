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
const baseRequest = {
  platform: "x",
  access: ["user", "app"],
  ownership: "any",
  bucket: null,
  host: null,
} as const;
let pool: TestPool;

beforeEach(() => {
  pool = testPool();
  pool.openRelease = () => pooledCredential("released", host, { owner: "account" });
});

type Overrides = Partial<Parameters<typeof findCredentials>[1]>;
const findIds = async (overrides: Overrides = {}) =>
  (
    await findCredentials(pool, {
      ...baseRequest,
      job: { accountId: "", released: release },
      ...overrides,
    })
  ).map(({ credential }) => credential.id);

test("a job uses the credential that was released for it, in addition to the process's own", async () => {
  pool.credentials = [pooledCredential("own", host)];
  expect(await findIds()).toEqual(["released", "own"]);
  expect(await findIds({ job: { accountId: "" } })).toEqual(["own"]);
});

test("a release is used only for its platform, access and host", async () => {
  expect(await findIds({ platform: "mastodon" })).toEqual([]);
  expect(await findIds({ access: ["user"] })).toEqual([]);
  expect(await findIds({ host: "https://other.example" })).toEqual([]);
  expect(await findIds({ host })).toEqual(["released"]);
});

test("a released credential of the deployment is not used if the account's own is required", async () => {
  pool.openRelease = () => pooledCredential("released", host, { kind: bearer });
  expect(await findIds({ ownership: "own" })).toEqual([]);
});

test("a later page uses only its own credential, if it was released", async () => {
  expect(await findIds({ credentialId: "released" })).toEqual(["released"]);
  expect(await findIds({ credentialId: "other" })).toEqual([]);
});

test("an expired release is not used", async () => {
  pool.openRelease = () => null;
  expect(await findIds()).toEqual([]);
});
