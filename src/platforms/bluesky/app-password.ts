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
import {
  type AccountLookupSettings,
  findCredentialAccount,
  identifierField,
} from "./credential-account.ts";
import { createSession, isRefusal, type LoginSession, refreshSession } from "./login.ts";
import { checkToken, sendWithToken, type TokenAccess } from "./send-with-token.ts";
import { lifetimeMs, storedTokens } from "./stored-tokens.ts";
import { type Refusal, readRefusal } from "./xrpc.ts";

/** A host allows 300 logins a day, so tokens are renewed for as long as possible. */
export function appPasswordKind(settings: AccountLookupSettings): CredentialKind {
  const pause = createLoginPause();
  return {
    platform: "bluesky",
    name: "app-password",
    access: "user",
    title: "Bluesky app password",
    purpose:
      "Reads Bluesky as your account, with your home timeline and “for you” feed. Searches of the archive need no credential.",
    description: "An app password: bsky.app, Settings, Privacy and security, App passwords.",
    fields: [
      identifierField,
      {
        name: "password",
        label: "App password",
        hint: "At bsky.app: Settings, Privacy and security, App passwords. Leave access to direct messages off.",
        description: "the app password",
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
  settings: AccountLookupSettings,
): Promise<NewCredential> {
  const password = fields.password?.trim() ?? "";
  if (password === "") {
    throw credentialInvalid("password: a value is required", "create one in Bluesky's settings");
  }
  const { did, handle, pds } = await findCredentialAccount(
    fields.identifier ?? "",
    tools,
    settings,
  );
  const host = pds.origin;
  const session = await createSession({ host, tools }, { did, password });
  if (isRefusal(session))
    throw credentialInvalid(`password: ${refusalMessage(host, session)}`, hintFor(session));
  if (session.did !== did) {
    throw credentialInvalid(`identifier: ${host} logged in to an account other than ${did}`);
  }
  const loginHandle = session.handle !== null && isHandle(session.handle) ? session.handle : null;
  return {
    host,
    subject: did,
    subjectName: handle ?? loginHandle,
    hint: secretHint(password),
    secrets: makeSecrets(password, session, tools.now()),
  };
}

const makeSecrets = (password: string, session: LoginSession, nowMs: number): Secrets => ({
  password,
  ...storedTokens(
    { accessToken: session.accessJwt, refreshToken: session.refreshJwt },
    lifetimeMs(session.accessJwt),
    nowMs,
  ),
});

function makeTokenAccess(
  stored: CredentialInUse,
  tools: CredentialTools,
  pause: LoginPause,
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
      const renewedSession =
        refreshToken === "" ? null : await refreshSession(connection, refreshToken);
      if (renewedSession !== null && !isRefusal(renewedSession) && renewedSession.did === subject) {
        return makeSecrets(password, renewedSession, tools.now());
      }
      const newSession = await pause.guard(id, tools.now(), () =>
        createSession(connection, { did: subject ?? "", password }),
      );
      if (isRefusal(newSession))
        throw loginRefusedError(host, isTakedown(renewedSession) ? renewedSession : newSession);
      if (newSession.did !== subject)
        throw credentialRefused(`${host} logged in to another account`);
      return makeSecrets(password, newSession, tools.now());
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
const isTakedown = (outcome: LoginSession | Refusal | null): outcome is Refusal =>
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

/** Pauses logins during a rate limit, because rejected attempts count too. */
type LoginPause = {
  /** Errors: those of `logIn`; `upstream_limited` until the rate limit resets. */
  guard<Result>(credentialId: string, nowMs: number, logIn: () => Promise<Result>): Promise<Result>;
};

function createLoginPause(): LoginPause {
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
