import { expect, test } from "vitest";
import { blueskyCredentialKinds } from "../../platforms/bluesky/credential-kinds.ts";
import type { CredentialKind, CredentialTools, Secrets } from "../../platforms/credential.ts";
import { mastodonCredentialKinds } from "../../platforms/mastodon/credential-kinds.ts";
import { xCredentialKinds } from "../../platforms/x/credential-kinds.ts";
import type { PooledCredential } from "./pool.ts";
import { pooledRelease, toReleasedCredential, type UsableRelease } from "./release.ts";

const kinds: readonly CredentialKind[] = [
  ...mastodonCredentialKinds(),
  ...xCredentialKinds({ apiUrl: "https://api.x.example" }),
];
const findKind = (platform: string, name: string): CredentialKind => {
  const kind = kinds.find((other) => other.platform === platform && other.name === name);
  if (kind === undefined) throw new Error(`unknown kind ${name}`);
  return kind;
};
const tools: CredentialTools = {
  fetch: async () => {
    throw new Error("unexpected request");
  },
  now: () => 0,
  randomBytes: (length) => new Uint8Array(length),
};

function makePooledCredential(kind: CredentialKind, secrets: Secrets): PooledCredential {
  const credential = {
    id: "c1",
    accountId: "ann",
    platform: kind.platform,
    kind: kind.name,
    host: "https://mastodon.example",
    subject: "7",
    subjectName: "@ann",
    hint: "toke",
    createdMs: 0,
    usedMs: null,
    quarantine: null,
    coolings: [],
  };
  const credentialInUse = { credential, secrets: () => secrets, renew: async () => secrets };
  const owner = "account" as const;
  return {
    credential,
    kind,
    credentialInUse,
    revision: () => 2,
    tools,
    owner,
    cooldownUntilMs: null,
  };
}

const usableRelease = (overrides: Partial<UsableRelease> = {}): UsableRelease => {
  const credential = toReleasedCredential(
    makePooledCredential(findKind("mastodon", "user-token"), { token: "secret" }),
    0,
  );
  if (credential === null) throw new Error("the credential is not releasable");
  return { credential, hasExpired: () => false, ...overrides };
};

test("the token of an application is released, but not its key and secret", () => {
  const secrets = { clientId: "id", clientSecret: "client secret", token: "a token" };
  expect(
    toReleasedCredential(makePooledCredential(findKind("mastodon", "app-token"), secrets), 0),
  ).toEqual({
    id: "c1",
    platform: "mastodon",
    kind: "app-token",
    owner: "account",
    host: "https://mastodon.example",
    subject: "7",
    revision: 2,
    secrets: { token: "a token" },
    coolings: [],
  });
});

test("no credential of a platform that bills is released", () => {
  const token = { token: "a token" };
  expect(
    toReleasedCredential(makePooledCredential(findKind("x", "app-token"), token), 0),
  ).toBeNull();
  expect(
    toReleasedCredential(makePooledCredential(findKind("x", "user-token"), token), 0),
  ).toBeNull();
});

test("used-up limits are released until they reopen", () => {
  const pooledCredential = makePooledCredential(findKind("mastodon", "user-token"), {
    token: "a token",
  });
  const coolings = [{ bucket: "all", untilMs: 1_000, reason: "used up" }];
  const coolingCredential = {
    ...pooledCredential,
    credential: { ...pooledCredential.credential, coolings },
  };
  expect(toReleasedCredential(coolingCredential, 999)?.coolings).toEqual([
    { bucket: "all", untilMs: 1_000 },
  ]);
  expect(toReleasedCredential(coolingCredential, 1_000)?.coolings).toEqual([]);
});

test("kinds of credentials that need renewal or are billed are not released", () => {
  const bluesky = blueskyCredentialKinds({
    plcUrl: "https://plc.example",
    appviewUrl: "https://appview.example",
    resolveTxt: async () => [],
  });
  const releasableKinds = [...kinds, ...bluesky].filter(
    (kind) => kind.releasedSecrets !== undefined,
  );
  expect(releasableKinds.map(({ platform, name }) => `${platform} ${name}`).toSorted()).toEqual([
    "mastodon app-token",
    "mastodon user-token",
  ]);
});

test("a released credential has no account and cannot be renewed", async () => {
  const usableCredential = pooledRelease(usableRelease(), { kinds, tools });
  expect(usableCredential).toMatchObject({
    owner: "account",
    credential: { id: "c1", accountId: null },
  });
  expect(usableCredential?.credentialInUse.secrets()).toEqual({ token: "secret" });
  await expect(usableCredential?.credentialInUse.renew({}, async () => ({}))).rejects.toMatchObject(
    {
      code: "credential_refused",
    },
  );
});

test("the secret of an expired release cannot be read", () => {
  let isOver = false;
  const release = usableRelease({ hasExpired: () => isOver });
  const usableCredential = pooledRelease(release, { kinds, tools });
  isOver = true;
  expect(() => usableCredential?.credentialInUse.secrets()).toThrowError(
    expect.objectContaining({ code: "credential_refused" }),
  );
  expect(pooledRelease(release, { kinds, tools })).toBeNull();
});

test("a release of a kind that cannot be released is ignored", () => {
  const { credential } = usableRelease();
  const xRelease = usableRelease({
    credential: { ...credential, platform: "x", kind: "app-token" },
  });
  expect(pooledRelease(xRelease, { kinds, tools })).toBeNull();
  const unknownRelease = usableRelease({ credential: { ...credential, kind: "password" } });
  expect(pooledRelease(unknownRelease, { kinds, tools })).toBeNull();
});
