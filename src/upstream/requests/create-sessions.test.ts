import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type HostileUpstream,
  jsonReply,
  startHostileUpstream,
} from "../../../testkit/upstreams/hostile-upstream.ts";
import {
  bearer,
  makeUpstreamJob,
  openTestSessions,
  pooledCredential,
  type TestSessions,
  testUpstream,
} from "../../../testkit/upstreams/sessions.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import type { Sessions } from "./sessions.ts";

let upstream: HostileUpstream;
let setup: TestSessions;
let clock: ManualClock;

const userKind = { ...bearer, name: "user", access: "user" } as const;

beforeEach(async () => {
  upstream = await startHostileUpstream(jsonReply({}));
  clock = createManualClock();
  setup = openTestSessions(testUpstream("x", { publicBaseUrl: upstream.url }), [upstream.url], {
    clock,
  });
  setup.pool.credentials = [
    pooledCredential("deployment app", upstream.url),
    pooledCredential("deployment user", upstream.url, { kind: userKind }),
    pooledCredential("own app", upstream.url, { owner: "account" }),
    pooledCredential("own user", upstream.url, { owner: "account", kind: userKind }),
  ];
});
afterEach(async () => {
  await setup.close();
  await upstream.close();
});

async function methodsFor(
  overrides: Partial<Parameters<Sessions["open"]>[0]> = {},
): Promise<string[]> {
  const sessions = await setup.sessions.open({
    job: makeUpstreamJob("job", { deadlineMs: clock.now() + 30_000 }),
    platform: "x",
    access: ["user", "app", "public"],
    ownership: "any",
    bucket: "posts",
    host: null,
    ...overrides,
  });
  return sessions.map(({ credentialId, baseUrl }) => credentialId ?? `public at ${baseUrl}`);
}

test("own credentials come before the deployment's, users' before applications', and public access last", async () => {
  const publicAccess = `public at ${upstream.url}`;
  expect(await methodsFor()).toEqual([
    "own user",
    "own app",
    "deployment user",
    "deployment app",
    publicAccess,
  ]);
});

test("only the requested access is opened", async () => {
  expect(await methodsFor({ access: ["app"] })).toEqual(["own app", "deployment app"]);
  expect(await methodsFor({ access: ["public"] })).toEqual([`public at ${upstream.url}`]);
  expect(await methodsFor({ access: [] })).toEqual([]);
});

test("only own credentials are used if the request requires them", async () => {
  expect(await methodsFor({ ownership: "own" })).toEqual(["own user", "own app"]);
});

test("a later page uses only the cursor's credential, if its use is allowed", async () => {
  const credentialId = "deployment app";
  expect(await methodsFor({ credentialId })).toEqual([credentialId]);
  expect(await methodsFor({ credentialId, access: ["user", "public"] })).toEqual([]);
  expect(await methodsFor({ credentialId, ownership: "own" })).toEqual([]);
  expect(await methodsFor({ credentialId: "gone" })).toEqual([]);
});

test("cooling credentials come last, the first to reopen first", async () => {
  const [laterCredential, , soonerCredential] = setup.pool.credentials;
  if (laterCredential === undefined || soonerCredential === undefined)
    throw new Error("expected four credentials");
  setup.pool.credentials = setup.pool.credentials.map((credential) => {
    if (credential === laterCredential)
      return { ...credential, cooldownUntilMs: clock.now() + 60_000 };
    return credential === soonerCredential
      ? { ...credential, cooldownUntilMs: clock.now() + 30_000 }
      : credential;
  });
  expect(await methodsFor()).toEqual([
    "own user",
    "deployment user",
    `public at ${upstream.url}`,
    "own app",
    "deployment app",
  ]);
});

test("limits of credentials are restored after a restart", async () => {
  const [first] = setup.pool.credentials;
  if (first === undefined) throw new Error("expected four credentials");
  const coolings = [{ bucket: "posts", untilMs: clock.now() + 60_000, reason: "the limit" }];
  setup.pool.credentials = [{ ...first, credential: { ...first.credential, coolings } }];
  const [session] = await setup.sessions.open({
    job: makeUpstreamJob("job", { deadlineMs: clock.now() + 30_000 }),
    platform: "x",
    access: ["app"],
    ownership: "any",
    bucket: null,
    host: null,
  });
  await expect(session?.get({ path: "/posts", bucket: "posts" })).rejects.toMatchObject({
    code: "upstream_limited",
  });
  await expect(session?.get({ path: "/users", bucket: "users" })).resolves.toMatchObject({
    status: 200,
  });
  expect(upstream.requests).toMatchObject([{ path: "/users" }]);
});

test("a used-up limit applies only to its secret, not to a replacement", async () => {
  const [first] = setup.pool.credentials;
  if (first === undefined) throw new Error("expected four credentials");
  const untilMs = clock.now() + 60_000;
  const coolings = [{ bucket: "posts", untilMs, reason: "the limit" }];
  const statusWith = (revision: number, boundCoolings = coolings) => {
    const credential = { ...first.credential, coolings: boundCoolings };
    setup.pool.credentials = [{ ...first, revision: () => revision, credential }];
  };
  const requestOnce = async () => {
    const sessions = setup.sessions.open({
      job: makeUpstreamJob("job", { deadlineMs: clock.now() + 30_000 }),
      platform: "x",
      access: ["app"],
      ownership: "any",
      bucket: null,
      host: null,
    });
    return await (await sessions)[0]?.get({ path: "/posts", bucket: "posts" }).then(
      ({ status }) => status,
      (error: { code: string }) => error.code,
    );
  };
  statusWith(1);
  expect(await requestOnce()).toBe("upstream_limited");
  statusWith(1, []);
  expect(await requestOnce()).toBe("upstream_limited");
  statusWith(2);
  expect(await requestOnce()).toBe("upstream_limited");
  statusWith(3, []);
  expect(await requestOnce()).toBe(200);
});

test("the configured access methods include public access only if the platform has a public address", async () => {
  expect(await setup.sessions.configured("x", "one")).toContainEqual({
    access: "public",
    owner: null,
  });
  const closedSessions = openTestSessions(testUpstream("x"), []);
  expect(await closedSessions.sessions.configured("x", "one")).toEqual([]);
  await closedSessions.close();
});
