import { beforeEach, expect, test } from "vitest";
import { pooledCredential, type TestPool, testPool } from "../../../testkit/upstreams/sessions.ts";
import { createMastodonUpstream } from "../../platforms/mastodon/upstream.ts";
import { mastodonUserTokenKind } from "../../platforms/mastodon/user-token.ts";
import { xAppTokenKind } from "../../platforms/x/app-token.ts";
import { createXUpstream } from "../../platforms/x/upstream.ts";
import { releaseCredential } from "./release-credential.ts";

const host = "https://mastodon.example";
const upstream = createMastodonUpstream({ instance: null });
const search = { type: "social", method: "searchbyquery" } as const;
let pool: TestPool;

beforeEach(() => {
  pool = testPool();
  pool.credentials = [
    pooledCredential("shared", host, { kind: mastodonUserTokenKind }),
    pooledCredential("own", host, { kind: mastodonUserTokenKind, owner: "account" }),
  ];
});

const releasedId = async (request: Parameters<typeof releaseCredential>[1]) =>
  (await releaseCredential({ pool, upstream, nowMs: 0 }, request, "ann"))?.id ?? null;

test("the account's own credential is released to a node in preference to the deployment's", async () => {
  expect(await releasedId(search)).toBe("own");
});

test("a rate-limited credential is released to a node only if there is no other", async () => {
  const coolings = [{ bucket: "all", untilMs: 1_000, reason: "used up" }];
  const coolDown = (pooled: (typeof pool.credentials)[number]) => ({
    ...pooled,
    credential: { ...pooled.credential, coolings },
  });
  const [shared, own] = pool.credentials.map(coolDown);
  if (shared === undefined || own === undefined) throw new Error("expected two credentials");
  pool.credentials = pool.credentials.map((credential) =>
    credential.owner === "account" ? own : credential,
  );
  expect(await releasedId(search)).toBe("shared");
  pool.credentials = [shared, own];
  expect(await releasedId(search)).toBe("own");
});

test("a later page is read with the released credential of the previous page", async () => {
  const position = { platform: "mastodon", cursor: null, lastKey: null, skip: 0 } as const;
  const followers = { type: "social", method: "getfollowers" } as const;
  expect(
    await releasedId({ ...followers, position: { ...position, credentialId: "shared" } }),
  ).toBe("shared");
  expect(
    await releasedId({ ...followers, position: { ...position, credentialId: "gone" } }),
  ).toBeNull();
});

test("no credential is released to a node for an account's home timeline or for a type that excludes the credential", async () => {
  expect(await releasedId({ type: "social", method: "gethometweets" })).toBeNull();
  expect(await releasedId({ type: "social-api", method: "searchbyquery" })).toBeNull();
});

test("no credential for X is released to a node", async () => {
  pool.credentials = [
    pooledCredential("x", "https://api.x.example", {
      kind: xAppTokenKind("https://api.x.example"),
    }),
  ];
  const x = createXUpstream({ apiUrl: "https://api.x.example" } as never);
  expect(await releaseCredential({ pool, upstream: x, nowMs: 0 }, search, "")).toBeNull();
});
