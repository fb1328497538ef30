import type { RandomBytes } from "../../lib/base62.ts";
import type { Clock } from "../../lib/clock.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import type { NewSession, StartedSession } from "../sessions/new-session.ts";
import { hashOfSecret, newSecret } from "../sessions/session-token.ts";
import type { SessionSettings } from "../sessions/settings.ts";
import type { AccountStore } from "../store.ts";
import { allowedOrganizations, isLoginAllowed } from "./allow-list.ts";
import { attemptHash, isAttemptSecret, isState } from "./attempt.ts";
import { accessToken, authorizationUrl, isMemberOfAny, readProfile } from "./oauth.ts";
import type { LeftSession } from "./operations.ts";
import type { ProviderName } from "./provider.ts";
import { configuredProviders, type Profile, type Provider } from "./providers.ts";
import { SignInRefused } from "./refusal.ts";
import { returnPath } from "./return-path.ts";
import type { SignInSettings } from "./settings.ts";

/** Where a request came from, as its session remembers it, and the session that its browser held before. */
export type Arrival = Pick<NewSession, "agent" | "addressGroup"> & { leaves: LeftSession };

/** What comes of a sign-in. */
type Entered = { accountId: string; session: StartedSession };

/**
 * Signing in with an account at a code host, or with a link that an operator made. Errors besides those named: those of the
 * store.
 */
export type SignIn = {
  providers: readonly { name: ProviderName; label: string }[];
  /**
   * Begins a sign-in: where the browser goes, and the secret that it keeps until it comes back. Null when the provider is not
   * configured.
   */
  begin(
    provider: ProviderName,
    asked: { redirectUri: string; returnTo: string | null },
  ): Promise<{ location: string; secret: string } | null>;
  /** Ends it. Throws SignInRefused, which is in the audit log then if the sign-in was begun here. */
  finish(
    provider: ProviderName,
    asked: {
      secret: string | null;
      redirectUri: string;
      parameters: URLSearchParams;
      arrival: Arrival;
    },
  ): Promise<Entered & { returnTo: string }>;
  /** Null when the link's token is unknown, used or too old. Throws SignInRefused. */
  finishLink(token: string, arrival: Arrival): Promise<Entered | null>;
};

/** Whoever likes can send a callback of their own making: the log that only grows takes no note of those. */
const notBegun = "not_begun_here";

export type SignInParts = {
  settings: SignInSettings;
  sessions: SessionSettings;
  store: AccountStore;
  fetch: GuardedFetch;
  clock: Pick<Clock, "now">;
  randomBytes: RandomBytes;
};

export function createSignIn(parts: SignInParts): SignIn {
  const { settings, sessions, store, fetch, clock, randomBytes } = parts;
  const { allow, operators } = settings;
  const providers = configuredProviders(settings);
  const providerOf = (name: ProviderName) => providers.find((provider) => provider.name === name);

  function newSession(way: NewSession["way"], arrival: Arrival): NewSession & Arrival {
    const { maxAgeMs, maxPerAccount } = sessions;
    return { ...arrival, way, maxAgeMs, maxPerAccount, nowMs: clock.now() };
  }

  const begin: SignIn["begin"] = async (name, { redirectUri, returnTo }) => {
    const provider = providerOf(name);
    if (provider === undefined) return null;
    const secret = newSecret(randomBytes);
    const scope =
      allowedOrganizations(allow, name).length === 0
        ? provider.scopes.profile
        : provider.scopes.organizations;
    const nowMs = clock.now();
    await store.write("beginSignIn", {
      hash: attemptHash(secret),
      provider: name,
      returnTo: returnPath(returnTo),
      nowMs,
      expiresMs: nowMs + settings.attemptMs,
      maxAttempts: settings.maxAttempts,
    });
    return { location: await authorizationUrl(provider, { secret, redirectUri, scope }), secret };
  };

  const finish: SignIn["finish"] = async (name, { secret, redirectUri, parameters, arrival }) => {
    const provider = providerOf(name);
    const isBegun =
      secret !== null &&
      isAttemptSecret(secret) &&
      isState(parameters.get("state") ?? "", secret, name);
    if (provider === undefined || !isBegun) throw new SignInRefused("expired", notBegun);
    const attempt = await store.write("takeSignIn", {
      hash: attemptHash(secret),
      provider: name,
      nowMs: clock.now(),
    });
    if (attempt === null) throw new SignInRefused("expired", "used_or_too_late");
    const token = await accessToken(provider, fetch, { secret, redirectUri, parameters });
    const profile = await readProfile(provider, fetch, token);
    if (!(await isAllowed(provider, profile, token))) {
      throw new SignInRefused("not_allowed", "not_on_the_list");
    }
    const entered = await store.write("signInIdentity", {
      ...newSession(name, arrival),
      ...profile,
      provider: name,
      isOperator: operators.includes(`${name}:${profile.subject}`),
    });
    if (entered.kind === "suspended") throw new SignInRefused("suspended", "account_suspended");
    return { ...entered, returnTo: attempt.returnTo };
  };

  async function isAllowed(provider: Provider, profile: Profile, token: string): Promise<boolean> {
    if (isLoginAllowed(allow, provider.name, profile.login)) return true;
    const organizations = allowedOrganizations(allow, provider.name);
    return await isMemberOfAny(provider, fetch, token, organizations);
  }

  const finishLink: SignIn["finishLink"] = async (token, arrival) => {
    const entered = await store.write("signInWithLink", {
      ...newSession("link", arrival),
      hash: hashOfSecret(token),
    });
    if (entered === null) return null;
    if (entered.kind === "suspended") throw new SignInRefused("suspended", "account_suspended");
    return entered;
  };

  async function noted<Value>(way: NewSession["way"], work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (fault) {
      if (fault instanceof SignInRefused && fault.reason !== notBegun) {
        const { word, reason } = fault;
        const nowMs = clock.now();
        await store.write("noteRefusedSignIn", { way, word, reason, nowMs });
      }
      throw fault;
    }
  }

  return {
    providers: providers.map(({ name, label }) => ({ name, label })),
    begin,
    finish: (name, asked) => noted(name, () => finish(name, asked)),
    finishLink: (token, arrival) => noted("link", () => finishLink(token, arrival)),
  };
}
