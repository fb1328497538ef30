import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import type {
  CredentialInUse,
  CredentialKind,
  CredentialTools,
  NewCredential,
  Secrets,
} from "../credential.ts";
import { credentialInvalid, credentialRefused } from "../credential-errors.ts";
import { secretHint } from "../hint.ts";
import { UpstreamLimited } from "../upstream-limited.ts";
import { withoutSecrets } from "../without-secrets.ts";
import { isHandle } from "./at-uri.ts";
import { type FindSettings, findGivenAccount, identifierField } from "./given-account.ts";
import { createSession, isRefusal, type LogIn, refreshSession } from "./log-in.ts";
import { checkToken, sendWithToken, type TokenAccess } from "./send-with-token.ts";
import { lifetimeMs, storedTokens } from "./stored-tokens.ts";
import { type Refusal, readRefusal } from "./xrpc.ts";

/** A host allows 300 logins a day, so tokens are renewed for as long as possible. */
export function appPasswordKind(settings: FindSettings): CredentialKind {
  const pause = createLogInPause();
  return {
    platform: "bluesky",
    name: "app-password",
    access: "user",
    title: "Bluesky app password",
    purpose:
      "Reads Bluesky as your account, with your home timeline and “for you” feed. Searches of the archive need no credential.",
    meaning: "An app password: bsky.app, Settings, Privacy and security, App passwords.",
    fields: [
      identifierField,
      {
        name: "password",
        label: "App password",
        hint: "At bsky.app: Settings, Privacy and security, App passwords. Leave access to direct messages off.",
        meaning: "the app password",
        isSecret: true,
        isOptional: false,
      },
    ],
    make: async (fields, tools) => await make(fields, tools, settings),
    test: async (stored, tools) => {
      const { host } = new URL(stored.credential.host);
      return `logged in at ${host} as ${await checkToken(stored, makeTokenAccess(stored, tools, pause))}`;
    },
    send: async (request, stored, tools) =>
      await sendWithToken(request, stored, makeTokenAccess(stored, tools, pause)),
  };
}

async function make(
  fields: Readonly<Record<string, string>>,
  tools: CredentialTools,
  settings: FindSettings,
): Promise<NewCredential> {
  const password = fields.password?.trim() ?? "";
  if (password === "") {
    throw credentialInvalid("password: a value is required", "create one in Bluesky's settings");
  }
  const { did, handle, pds } = await findGivenAccount(fields.identifier ?? "", tools, settings);
  const host = pds.origin;
  const logIn = await createSession({ host, tools }, { did, password });
  if (isRefusal(logIn))
    throw credentialInvalid(`password: ${refusalMessage(host, logIn)}`, hintFor(logIn));
  if (logIn.did !== did) {
    throw credentialInvalid(`identifier: ${host} logged in to an account other than ${did}`);
  }
  const loginHandle = logIn.handle !== null && isHandle(logIn.handle) ? logIn.handle : null;
  return {
    host,
    subject: did,
    subjectName: handle ?? loginHandle,
    hint: secretHint(password),
    secrets: makeSecrets(password, logIn, tools.now()),
  };
}

const makeSecrets = (password: string, logIn: LogIn, nowMs: number): Secrets => ({
  password,
  ...storedTokens(
    { accessToken: logIn.accessJwt, refreshToken: logIn.refreshJwt },
    lifetimeMs(logIn.accessJwt),
    nowMs,
  ),
});

function makeTokenAccess(
  stored: CredentialInUse,
  tools: CredentialTools,
  pause: LogInPause,
): TokenAccess {
  const { id, host, subject } = stored.credential;
  return {
    tools,
    sendWith: async ({ url, headers, signal }, { accessToken = "" }) =>
      await tools.fetch(url, {
        headers: { ...headers, authorization: `Bearer ${accessToken}` },
        signal,
      }),
    isTokenRefused,
    renew: async ({ password = "", refreshToken = "" }) => {
      const connection = { host, tools };
      const renewed = refreshToken === "" ? null : await refreshSession(connection, refreshToken);
      if (renewed !== null && !isRefusal(renewed) && renewed.did === subject) {
        return makeSecrets(password, renewed, tools.now());
      }
      const next = await pause.guard(id, tools.now(), () =>
        createSession(connection, { did: subject ?? "", password }),
      );
      if (isRefusal(next)) throw loginRefusedError(host, isTakedown(renewed) ? renewed : next);
      if (next.did !== subject) throw credentialRefused(`${host} logged in to another account`);
      return makeSecrets(password, next, tools.now());
    },
    tokenRefusedError: (response, secrets) => {
      const { message, ...refusal } = readRefusal(response);
      return loginRefusedError(host, { ...refusal, message: withoutSecrets(message, secrets) });
    },
  };
}

/**
 * A login to a taken-down account fails like one with a wrong password; only a renewal reports the
 * takedown.
 */
const isTakedown = (outcome: LogIn | Refusal | null): outcome is Refusal =>
  outcome !== null && isRefusal(outcome) && outcome.error === "AccountTakedown";

/** Hosts also reject expired tokens with 400. A missing scope is a different error. */
function isTokenRefused(response: FetchedResponse): boolean {
  if (response.status === 401) return true;
  if (response.status !== 400) return false;
  const { error, message } = readRefusal(response);
  return error === "ExpiredToken" || (error === "InvalidToken" && !/scope|method/i.test(message));
}

const loginRefusedError = (host: string, refusal: Refusal): Error =>
  credentialRefused(refusalMessage(host, refusal), hintFor(refusal));

function refusalMessage(host: string, { status, error, message }: Refusal): string {
  const reason = [error, message].filter((part) => part !== "").join(": ");
  return `${new URL(host).host} refused the login (${reason === "" ? status : reason})`;
}

function hintFor({ error }: Refusal): string {
  if (error === "AuthFactorTokenRequired") {
    return "create an app password: this is the account's main password";
  }
  if (error === "AccountTakedown") return "use another account: this one was taken down";
  return "check that the app password still exists, or create another";
}

/** Suspends logins while the host rejects them, because rejected attempts count too. */
type LogInPause = {
  /** Errors: those of `logIn`; `upstream_limited` until the rate limit resets. */
  guard<Result>(credentialId: string, nowMs: number, logIn: () => Promise<Result>): Promise<Result>;
};

function createLogInPause(): LogInPause {
  const limits = new Map<string, UpstreamLimited>();
  return {
    guard: async (credentialId, nowMs, logIn) => {
      const limit = limits.get(credentialId);
      if (limit !== undefined && limit.retryAtMs > nowMs) throw limit;
      limits.delete(credentialId);
      try {
        return await logIn();
      } catch (thrown) {
        if (thrown instanceof UpstreamLimited) limits.set(credentialId, thrown);
        throw thrown;
      }
    },
  };
}
