import type { RandomBytes } from "../../lib/base62.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Encryptor } from "../../lib/encryption.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import type { NewSession, StartedSession } from "../sessions/new-session.ts";
import { hashTokenSecret, newSecret } from "../sessions/session-token.ts";
import type { SessionSettings } from "../sessions/settings.ts";
import type { AccountStore } from "../store.ts";
import { allowedOrganizations, isLoginAllowed } from "./allow-list.ts";
import { attemptHash, decryptAttempt, encryptAttempt, isState } from "./attempt.ts";
import { authorizationUrl, isMemberOfAny, readProfile, requestAccessToken } from "./oauth.ts";
import type { PreviousSession } from "./operations.ts";
import type { ProviderName } from "./provider.ts";
import { configuredProviders, type Provider, type ProviderProfile } from "./providers.ts";
import { SignInRefused } from "./refusal.ts";
import type { SignInSettings } from "./settings.ts";

export type ClientInfo = Pick<NewSession, "agent" | "addressGroup"> & {
  previousSession: PreviousSession;
};

type SignedIn = { accountId: string; session: StartedSession };

export type SignIn = {
  providers: readonly { name: ProviderName; label: string }[];
  /** Stores nothing: the encrypted `attempt` belongs in a cookie. Null if the provider is not configured. */
  begin(
    provider: ProviderName,
    request: { redirectUri: string; returnTo: string | null },
  ): Promise<{ location: string; attempt: string } | null>;
  /** Throws SignInRefused; refusals of existing accounts are audited. */
  finish(
    provider: ProviderName,
    request: {
      attempt: string | null;
      redirectUri: string;
      parameters: URLSearchParams;
      client: ClientInfo;
    },
  ): Promise<SignedIn & { returnTo: string }>;
  /** Null if the link is unknown, used or expired. Throws SignInRefused. */
  finishLink(token: string, client: ClientInfo): Promise<SignedIn | null>;
};

export type SignInContext = {
  settings: SignInSettings;
  sessions: SessionSettings;
  store: AccountStore;
  fetch: GuardedFetch;
  encryptor: Encryptor;
  clock: Pick<Clock, "now">;
  randomBytes: RandomBytes;
};

export function createSignIn(context: SignInContext): SignIn {
  const { settings, sessions, store, fetch, encryptor, clock, randomBytes } = context;
  const { allow, operators } = settings;
  const providers = configuredProviders(settings);
  const findProvider = (name: ProviderName) => providers.find((provider) => provider.name === name);

  function newSession(method: NewSession["method"], client: ClientInfo): NewSession & ClientInfo {
    const { maxAgeMs, maxPerAccount } = sessions;
    return { ...client, method, maxAgeMs, maxPerAccount, nowMs: clock.now() };
  }

  const begin: SignIn["begin"] = async (name, { redirectUri, returnTo }) => {
    const provider = findProvider(name);
    if (provider === undefined) return null;
    const secret = newSecret(randomBytes);
    const scope =
      allowedOrganizations(allow, name).length === 0
        ? provider.scopes.profile
        : provider.scopes.organizations;
    const attempt = encryptAttempt(encryptor, {
      provider: name,
      returnTo: returnPath(returnTo),
      expiresMs: clock.now() + settings.attemptMs,
      secret,
    });
    return { location: await authorizationUrl(provider, { secret, redirectUri, scope }), attempt };
  };

  const finish: SignIn["finish"] = async (name, { attempt, redirectUri, parameters, client }) => {
    const provider = findProvider(name);
    const pendingAttempt = attempt === null ? null : decryptAttempt(encryptor, attempt);
    const isBegunHere =
      pendingAttempt?.provider === name &&
      isState(parameters.get("state") ?? "", pendingAttempt.secret, name);
    if (provider === undefined || pendingAttempt === null || !isBegunHere) {
      throw new SignInRefused("expired", "not_begun_here");
    }
    const { secret, expiresMs, returnTo } = pendingAttempt;
    if (expiresMs <= clock.now()) throw new SignInRefused("expired", "too_late");
    const token = await requestAccessToken(provider, fetch, { secret, redirectUri, parameters });
    // This follows the token exchange, so that only users of the code host can fill the store.
    if (!(await store.write("finishSignIn", { hash: attemptHash(secret), expiresMs }))) {
      throw new SignInRefused("expired", "used");
    }
    const profile = await readProfile(provider, fetch, token);
    const identity = { provider: name, subject: `${provider.host}/${profile.subject}` };
    if (!(await isAllowed(provider, profile, token))) {
      const nowMs = clock.now();
      await store.write("recordNotAllowed", { ...identity, reason: notOnTheList, nowMs });
      throw new SignInRefused("not_allowed", notOnTheList);
    }
    const result = await store.write("signInIdentity", {
      ...newSession(name, client),
      ...identity,
      login: profile.login,
      isOperator: operators.includes(`${name}:${profile.subject}`),
    });
    if (result.kind === "suspended") throw new SignInRefused("suspended", "account_suspended");
    if (result.kind === "too_many") throw new SignInRefused("too_many", "deleted_too_often");
    return { ...result, returnTo };
  };

  async function isAllowed(
    provider: Provider,
    profile: ProviderProfile,
    token: string,
  ): Promise<boolean> {
    if (isLoginAllowed(allow, provider.name, profile.login)) return true;
    const organizations = allowedOrganizations(allow, provider.name);
    return await isMemberOfAny(provider, fetch, token, organizations);
  }

  const finishLink: SignIn["finishLink"] = async (token, client) => {
    const result = await store.write("signInWithLink", {
      ...newSession("link", client),
      hash: hashTokenSecret(token),
    });
    if (result === null) return null;
    if (result.kind !== "signed_in") throw new SignInRefused("suspended", "account_suspended");
    return result;
  };

  return {
    providers: providers.map(({ name, label }) => ({ name, label })),
    begin,
    finish,
    finishLink,
  };
}

const notOnTheList = "not_on_the_list";

const homePath = "/dashboard";

/** The encrypted attempt must fit into a cookie. */
const maxLength = 2_048;

/** The requested dashboard page with its query, else the start page. Prevents open redirects. */
export function returnPath(requestedPath: string | null): string {
  if (requestedPath === null || requestedPath.length > maxLength) return homePath;
  // Browsers strip or decode other characters, or treat them as a slash.
  if (!/^\/dashboard(?:[/?][\w\-.~/?&=+:,@!$'()*;%]*)?$/.test(requestedPath)) return homePath;
  const parsed = URL.parse(requestedPath, "http://here.invalid");
  if (parsed === null || parsed.host !== "here.invalid") return homePath;
  const { pathname, search } = parsed;
  const isInDashboard = pathname === homePath || pathname.startsWith(`${homePath}/`);
  const isPage =
    isInDashboard && !pathname.includes("//") && !pathname.startsWith(`${homePath}/api`);
  return isPage && !pathname.includes("%") ? `${pathname}${search}` : homePath;
}
