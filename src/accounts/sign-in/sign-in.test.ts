import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type GitHubEmulator,
  startGitHubEmulator,
} from "../../../testkit/emulators/github/server.ts";
import { createLocalStore } from "../../db/local-store.ts";
import { controlMigrations } from "../../db/migrations/control.ts";
import { openStoreForWriting, type SqliteDatabase } from "../../db/open.ts";
import { createEncryptor } from "../../lib/encryption.ts";
import { createGuard } from "../../lib/guard.ts";
import { createGuardedFetch, type GuardedClient } from "../../lib/guarded-fetch.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import { sessionDefaults } from "../sessions/settings.ts";
import { accountStoreOperations } from "../store.ts";
import { readAllowList } from "./allow-list.ts";
import type { ProviderName } from "./provider.ts";
import { SignInRefused } from "./refusal.ts";
import { signInDefaults } from "./settings.ts";
import { createSignIn, type SignIn } from "./sign-in.ts";

let folder: string;
let database: SqliteDatabase;
let provider: GitHubEmulator;
let fetch: GuardedClient;
let clock: ManualClock;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "earshot-"));
  database = openStoreForWriting(join(folder, "control.db"), controlMigrations);
  provider = await startGitHubEmulator({ now: () => clock.now() });
  fetch = createGuardedFetch({
    guard: createGuard([provider.url]),
    userAgent: "earshot/test",
    timeoutMs: 5_000,
    maxBytes: 100_000,
    maxRedirects: 0,
  });
});
afterAll(async () => {
  await fetch.close();
  await provider.stop();
  database.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  clock = createManualClock();
  for (const name of Object.keys(provider.faults)) Reflect.deleteProperty(provider.faults, name);
  provider.users.splice(0, Number.POSITIVE_INFINITY, ann(), ben());
});

const ann = () => ({ id: 583_231, login: "ann", organizations: { acme: "active" as const } });
const ben = () => ({ id: 42, login: "ben", organizations: {} });

const redirectUri = "http://earshot.test/auth/callback";
const client = { agent: "a test", addressGroup: "192.0.2.0/24", previousSession: null };

type Changes = {
  allow?: string;
  githubUrl?: string;
  githubClientSecret?: string;
  secretKey?: Uint8Array;
};

const secretKey = randomBytes(32);

function signInWith(changes: Changes = {}): SignIn {
  const { url, clientId, clientSecret } = provider;
  return createSignIn({
    settings: {
      ...signInDefaults,
      githubUrl: changes.githubUrl ?? url,
      githubClientId: clientId,
      githubClientSecret: changes.githubClientSecret ?? clientSecret,
      gitlabUrl: `${url}/`,
      gitlabClientId: clientId,
      gitlabClientSecret: clientSecret,
      allow: readAllowList(changes.allow ?? "everyone") ?? [],
      operators: [],
    },
    sessions: sessionDefaults,
    store: createLocalStore(database, accountStoreOperations(randomBytes)),
    fetch,
    encryptor: createEncryptor(changes.secretKey ?? secretKey, randomBytes),
    clock,
    randomBytes,
  });
}

async function begin(signIn: SignIn, name: ProviderName = "github") {
  const started = await signIn.begin(name, { redirectUri, returnTo: null });
  if (started === null) throw new Error("the provider is not configured");
  return started;
}

async function outcome(
  signIn: SignIn,
  { callback, attempt }: { callback: string; attempt: string },
  name: ProviderName = "github",
): Promise<string> {
  const { searchParams: parameters } = new URL(callback);
  try {
    const { accountId } = await signIn.finish(name, {
      attempt,
      redirectUri,
      parameters,
      client,
    });
    return accountId;
  } catch (error) {
    if (error instanceof SignInRefused) return error.code;
    throw error;
  }
}

async function signInAs(
  signIn: SignIn,
  login: string | null,
  name: ProviderName = "github",
): Promise<string> {
  const { location, attempt } = await begin(signIn, name);
  return await outcome(signIn, { callback: provider.decide(location, login), attempt }, name);
}

const anAccount = /^[0-9A-Za-z]{12}$/;

test("a sign-in requests only the profile from GitHub, with PKCE and a state", async () => {
  const { location } = await begin(signInWith());
  expect(Object.fromEntries(new URL(location).searchParams)).toEqual({
    response_type: "code",
    client_id: provider.clientId,
    redirect_uri: redirectUri,
    scope: "read:user",
    state: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: "S256",
  });
});

test("a user is identified by numeric id: a renamed user keeps the account, and a reused login gets a new one", async () => {
  const signIn = signInWith();
  const before = await signInAs(signIn, "ben");
  provider.users.splice(0, 2, { ...ben(), login: "benjamin" }, { ...ann(), id: 77, login: "ben" });
  expect(await signInAs(signIn, "benjamin")).toBe(before);
  const other = await signInAs(signIn, "ben");
  expect(other).toMatch(anAccount);
  expect(other).not.toBe(before);
});

test("the same user ID at another provider is another user", async () => {
  const signIn = signInWith();
  const [github, gitlab] = [await signInAs(signIn, "ben"), await signInAs(signIn, "ben", "gitlab")];
  expect(gitlab).toMatch(anAccount);
  expect(gitlab).not.toBe(github);
});

type Arranged = [what: string, word: string, arrange: GitHubEmulator["faults"]];
const ok = (body: unknown) => ({ status: 200, body });

test.each<Arranged>([
  ["a profile that is not JSON", "provider_failed", { profile: ok("<html>") }],
  [
    "a profile whose number is a string",
    "provider_failed",
    { profile: ok({ login: "ben", id: "42" }) },
  ],
  [
    "a profile whose number is not an integer",
    "provider_failed",
    { profile: ok({ login: "ben", id: 4.2 }) },
  ],
  ["a profile with a number below 1", "provider_failed", { profile: ok({ login: "ben", id: 0 }) }],
  [
    "a profile with a hostile login",
    "provider_failed",
    { profile: ok({ login: "b\n<i>", id: 42 }) },
  ],
  ["a profile that is null", "provider_failed", { profile: ok(null) }],
  ["a profile that is too long", "provider_failed", { profile: ok("x".repeat(200_000)) }],
  ["a failed request for the profile", "provider_failed", { profile: { status: 500, body: {} } }],
  [
    "an error with status 200",
    "provider_failed",
    { token: ok({ error: "unverified_user_email" }) },
  ],
  ["an error that is not a string", "provider_failed", { token: ok({ error: [1] }) }],
  ["an unknown code", "expired", { token: ok({ error: "bad_verification_code" }) }],
  ["a response without a token", "provider_failed", { token: ok({}) }],
  ["a response that is a list", "provider_failed", { token: ok([[[]]]) }],
  ["a response that is not JSON", "provider_failed", { token: ok("access_token=x") }],
  ["a failed exchange", "provider_failed", { token: { status: 502, body: "Bad gateway" } }],
  ["a redirected exchange", "provider_failed", { token: { status: 302, body: "" } }],
  ["a suspended application", "refused", { authorizationError: "application_suspended" }],
  ["an unregistered redirect_uri", "refused", { authorizationError: "redirect_uri_mismatch" }],
  ["a response of another issuer", "refused", { issuer: "https://evil.example" }],
])("a sign-in fails after %s, with the code %s", async (_what, word, faults) => {
  Object.assign(provider.faults, faults);
  const { accounts } = countAccounts();
  expect(await signInAs(signInWith(), "ben")).toBe(word);
  expect(countAccounts().accounts).toBe(accounts);
});

function countAccounts() {
  const rows = database.get<{ accounts: number }>("SELECT count(*) AS accounts FROM account");
  return { accounts: rows?.accounts };
}

function countAuditEntries() {
  return database.get<{ notes: number }>("SELECT count(*) AS notes FROM audit")?.notes;
}

test("a client that starts a sign-in, cancels it or invents a code leaves no row", async () => {
  const signIn = signInWith();
  const before = [countAuditEntries(), countAttempts()];
  expect(await signInAs(signIn, null)).toBe("denied");
  const { location, attempt } = await begin(signIn);
  const callback = new URL(provider.decide(location, "ben"));
  callback.searchParams.set("code", "made-up");
  expect(await outcome(signIn, { callback: callback.href, attempt })).toBe("expired");
  expect([countAuditEntries(), countAttempts()]).toEqual(before);
});

test("a refused sign-in of a user without an account is not audited", async () => {
  const before = countAuditEntries();
  provider.users.push({ id: 777, login: "carl", organizations: {} });
  expect(await signInAs(signInWith({ allow: "ann" }), "carl")).toBe("not_allowed");
  expect(countAuditEntries()).toBe(before);
});

test("a refused sign-in to a suspended or no longer allowed account is audited with the account", async () => {
  const accountId = await signInAs(signInWith(), "ann");
  expect(await signInAs(signInWith({ allow: "ben" }), "ann")).toBe("not_allowed");
  expect(lastAuditEntry(accountId)).toMatchObject({ action: "sign_in_refused", isTheirs: 1 });
  database.run("UPDATE account SET suspended_ms = 1 WHERE id = :accountId", { accountId });
  expect(await signInAs(signInWith(), "ann")).toBe("suspended");
  expect(lastAuditEntry(accountId)).toEqual({
    action: "sign_in_refused",
    isTheirs: 1,
    detail: '{"way":"github","word":"suspended","reason":"account_suspended"}',
  });
  database.run("UPDATE account SET suspended_ms = NULL WHERE id = :accountId", { accountId });
});

test("the same user ID at another host of a provider is another user", async () => {
  const otherProvider = await startGitHubEmulator({ now: () => clock.now() });
  const guardedFetch = createGuardedFetch({
    guard: createGuard([provider.url, otherProvider.url]),
    userAgent: "earshot/test",
    timeoutMs: 5_000,
    maxBytes: 100_000,
    maxRedirects: 0,
  });
  otherProvider.users.splice(0, Number.POSITIVE_INFINITY, { ...ann(), login: "mallory" });
  const here = await signInAs(signInWith(), "ann");
  const configured = fetch;
  fetch = guardedFetch;
  const signIn = signInWith({
    githubUrl: otherProvider.url,
    githubClientSecret: otherProvider.clientSecret,
  });
  const { location, attempt } = await begin(signIn);
  const there = await outcome(signIn, {
    callback: otherProvider.decide(location, "mallory"),
    attempt,
  });
  fetch = configured;
  await guardedFetch.close();
  await otherProvider.stop();
  expect(there).toMatch(anAccount);
  expect(there).not.toBe(here);
});

function lastAuditEntry(accountId: string) {
  return database.get(
    `SELECT action, detail, subject = (SELECT audit_id FROM account WHERE id = :accountId) AS isTheirs
     FROM audit ORDER BY sequence DESC LIMIT 1`,
    { accountId },
  );
}

function countAttempts() {
  return database.get<{ attempts: number }>("SELECT count(*) AS attempts FROM sign_in_attempt")
    ?.attempts;
}

test("a sign-in accepts a response with the provider's own issuer", async () => {
  provider.faults.issuer = `${provider.url}/login/oauth`;
  expect(await signInAs(signInWith(), "ben")).toMatch(anAccount);
});

test("a sign-in fails if the client credentials are wrong", async () => {
  expect(await signInAs(signInWith({ githubClientSecret: "wrong" }), "ben")).toBe(
    "provider_failed",
  );
});

test("a code from another sign-in is refused, because the provider checks the code verifier", async () => {
  const signIn = signInWith();
  const [theirs, mine] = [await begin(signIn), await begin(signIn)];
  const stolen = new URL(provider.decide(theirs.location, "ben"));
  const callback = new URL(provider.decide(mine.location, "ann"));
  callback.searchParams.set("code", stolen.searchParams.get("code") ?? "");
  expect(await outcome(signIn, { callback: callback.href, attempt: mine.attempt })).toBe("expired");
});

test("a sign-in code is valid only once, even in a new sign-in", async () => {
  const signIn = signInWith();
  const { location, attempt } = await begin(signIn);
  const callback = provider.decide(location, "ben");
  expect(await outcome(signIn, { callback, attempt })).toMatch(anAccount);
  expect(await outcome(signIn, { callback, attempt })).toBe("expired");
  const secondSignIn = await begin(signIn);
  const reused = new URL(provider.decide(secondSignIn.location, "ben"));
  reused.searchParams.set("code", new URL(callback).searchParams.get("code") ?? "");
  expect(await outcome(signIn, { callback: reused.href, attempt: secondSignIn.attempt })).toBe(
    "expired",
  );
});

test.each<[string, string]>([
  ["state", ""],
  ["state", "x".repeat(43)],
  ["state", "ä"],
])("a sign-in whose %s was changed to %j is refused and not audited", async (name, value) => {
  const signIn = signInWith();
  const before = countAuditEntries();
  const { location, attempt } = await begin(signIn);
  const callback = new URL(provider.decide(location, "ben"));
  callback.searchParams.set(name, value);
  expect(await outcome(signIn, { callback: callback.href, attempt })).toBe("expired");
  expect(countAuditEntries()).toBe(before);
});

test("a callback from one provider does not end a sign-in with another provider", async () => {
  const signIn = signInWith();
  const { location, attempt } = await begin(signIn);
  const callback = provider.decide(location, "ben");
  expect(await outcome(signIn, { callback, attempt }, "gitlab")).toBe("expired");
  expect(await outcome(signIn, { callback, attempt }, "github")).toMatch(anAccount);
});

test("a callback with a duplicate state is refused", async () => {
  const signIn = signInWith();
  const { location, attempt } = await begin(signIn);
  const callback = `${provider.decide(location, "ben")}&state=another`;
  expect(await outcome(signIn, { callback, attempt })).toBe("refused");
});

test("a sign-in expires after ten minutes", async () => {
  const signIn = signInWith();
  const [first, second] = [await begin(signIn), await begin(signIn)];
  await clock.advance(599_999);
  const inTime = { callback: provider.decide(first.location, "ben"), attempt: first.attempt };
  expect(await outcome(signIn, inTime)).toMatch(anAccount);
  const callback = provider.decide(second.location, "ben");
  await clock.advance(1);
  expect(await outcome(signIn, { callback, attempt: second.attempt })).toBe("expired");
});

test("starting many sign-ins adds no rows and does not affect earlier ones, and the store contains none of their secrets", async () => {
  const signIn = signInWith();
  const { location, attempt } = await begin(signIn);
  const before = countAttempts();
  for (let turn = 0; turn < 100; turn += 1) await begin(signIn);
  expect(countAttempts()).toBe(before);
  expect(await outcome(signIn, { callback: provider.decide(location, "ben"), attempt })).toMatch(
    anAccount,
  );
  const rows = JSON.stringify(database.all("SELECT hex(hash) AS hash FROM sign_in_attempt"));
  const { searchParams } = new URL(location);
  for (const secret of [attempt, searchParams.get("state"), searchParams.get("code_challenge")]) {
    expect(rows).not.toContain(secret);
  }
});

test("a sign-in attempt that this server did not encrypt is refused", async () => {
  const { location, attempt } = await begin(signInWith({ secretKey: randomBytes(32) }));
  const callback = provider.decide(location, "ben");
  expect(await outcome(signInWith(), { callback, attempt })).toBe("expired");
  for (const text of ["", "x", attempt.slice(1), `${attempt}AAAA`, "A".repeat(200)]) {
    expect(await outcome(signInWith(), { callback, attempt: text })).toBe("expired");
  }
});

test.each<[string, string, ProviderName, boolean]>([
  ["ann", "ann", "github", true],
  ["ANN", "ann", "gitlab", true],
  ["gitlab:ann", "ann", "github", false],
  ["ann", "ben", "github", false],
  ["org:acme", "ann", "github", true],
  ["org:acme", "ann", "gitlab", true],
  ["gitlab:org:acme", "ann", "github", false],
  ["org:acme", "ben", "github", false],
  ["org:acme", "ben", "gitlab", false],
  ["carl, github:org:acme", "ann", "github", true],
])(
  "EARSHOT_SIGNUP_ALLOW=%s allows the login %s at %s: %s",
  async (allow, login, name, isAllowed) => {
    const outcome = await signInAs(signInWith({ allow }), login, name);
    expect(outcome).toEqual(isAllowed ? expect.stringMatching(anAccount) : "not_allowed");
  },
);

test("organisation memberships are read at every sign-in that depends on them, and pending ones do not count", async () => {
  const signIn = signInWith({ allow: "org:acme" });
  const scope = async (name: ProviderName) =>
    new URL((await begin(signIn, name)).location).searchParams.get("scope");
  expect(await scope("github")).toBe("read:user read:org");
  expect(await scope("gitlab")).toBe("read_user openid");
  expect(await signInAs(signIn, "ann")).toMatch(anAccount);
  provider.users.splice(0, 1, { ...ann(), organizations: { acme: "pending" } });
  expect(await signInAs(signIn, "ann")).toBe("not_allowed");
  provider.users.splice(0, 1, { ...ann(), organizations: {} });
  expect(await signInAs(signIn, "ann")).toBe("not_allowed");
});

test.each([429, 403, 500, 503])(
  "status %i for an organisation membership is not treated as non-membership",
  async (status) => {
    provider.faults.membership = { status, body: {} };
    expect(await signInAs(signInWith({ allow: "org:acme" }), "ann")).toBe("provider_failed");
    expect(await signInAs(signInWith({ allow: "org:acme, ann" }), "ann")).toMatch(anAccount);
    provider.faults.membershipOf = "other";
    expect(await signInAs(signInWith({ allow: "org:other, org:acme" }), "ann")).toMatch(anAccount);
    expect(await signInAs(signInWith({ allow: "org:other, org:acme" }), "ben")).toBe(
      "provider_failed",
    );
  },
);

test("a provider at a private address is not requested unless the operator configured it", async () => {
  const publicOnly = createGuardedFetch({
    guard: createGuard([]),
    userAgent: "earshot/test",
    timeoutMs: 5_000,
    maxBytes: 100_000,
    maxRedirects: 0,
  });
  const configured = fetch;
  fetch = publicOnly;
  const outcome = await signInAs(signInWith(), "ben");
  fetch = configured;
  await publicOnly.close();
  expect(outcome).toBe("provider_failed");
});
