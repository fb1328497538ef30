import { randomBytes } from "node:crypto";
import {
  clientFetchLimits,
  createFetchClientDocument,
} from "../../accounts/grants/fetch-client-document.ts";
import { createCsrfTokens } from "../../accounts/sessions/csrf.ts";
import { createSessionTokens } from "../../accounts/sessions/session-token.ts";
import { configuredProviders, requestedUrls } from "../../accounts/sign-in/providers.ts";
import { githubUrl, gitlabUrl } from "../../accounts/sign-in/settings.ts";
import { createSignIn } from "../../accounts/sign-in/sign-in.ts";
import type { AccountStore } from "../../accounts/store.ts";
import type { Dashboard } from "../../http/context.ts";
import { createCookies } from "../../http/dashboard/cookies.ts";
import type { Clock } from "../../lib/clock.ts";
import { createEncryptor } from "../../lib/encryption.ts";
import { createGuard } from "../../lib/guard.ts";
import { createGuardedFetch } from "../../lib/guarded-fetch.ts";
import type { Config } from "../config.ts";
import { packageVersion } from "../version.ts";

export type DashboardRole = { dashboard: Dashboard; close(): Promise<void> };

export function createDashboardRole({
  config,
  store,
  secretKey,
  clock,
}: {
  config: Config;
  store: AccountStore;
  secretKey: Uint8Array;
  clock: Clock;
}): DashboardRole {
  const { signIn: settings, sessions, http, apps } = config;
  const fetch = createGuardedFetch({
    guard: createGuard(customAddresses(config)),
    userAgent: `earshot/${packageVersion()}`,
    timeoutMs: settings.timeoutMs,
    maxBytes: settings.maxResponseBytes,
    maxRedirects: 0,
  });
  const clientFetch = createGuardedFetch({
    guard: createGuard(apps.privateHosts, { setting: "EARSHOT_APP_PRIVATE_HOSTS" }),
    userAgent: `earshot/${packageVersion()}`,
    ...clientFetchLimits,
  });
  const encryptor = createEncryptor(secretKey, randomBytes);
  return {
    dashboard: {
      version: packageVersion(),
      cookies: createCookies(http.publicUrl, createSessionTokens(secretKey)),
      csrf: createCsrfTokens(secretKey),
      sessions,
      signIn: createSignIn({
        settings,
        sessions,
        store,
        fetch,
        encryptor,
        clock,
        randomBytes,
      }),
      signInLimits: settings,
      apps: {
        fetchClientDocument: createFetchClientDocument(clientFetch),
        encryptor,
        limits: apps,
      },
    },
    close: async () => {
      await Promise.all([fetch.close(), clientFetch.close()]);
    },
  };
}

/** Configured code hosts may have private addresses. */
function customAddresses({ signIn }: Config): readonly string[] {
  const isCustom = {
    github: signIn.githubUrl !== githubUrl,
    gitlab: signIn.gitlabUrl !== gitlabUrl,
  };
  return configuredProviders(signIn)
    .filter(({ name }) => isCustom[name])
    .flatMap(requestedUrls);
}
