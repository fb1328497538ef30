import { randomBytes } from "node:crypto";
import { fetch as undiciFetch } from "undici";
import { type FetchedResponse, fetchedResponse } from "../../src/lib/fetched-response.ts";
import type {
  CredentialInUse,
  CredentialKind,
  CredentialTools,
  Secrets,
} from "../../src/platforms/credential.ts";
import type { Bill, Session } from "../../src/platforms/session.ts";
import type { PostTarget, UserTarget } from "../../src/platforms/target.ts";
import { xAppTokenKind } from "../../src/platforms/x/app-token.ts";
import { xUserTokenKind } from "../../src/platforms/x/user-token.ts";
import { lowestId } from "../../src/posts/ids.ts";
import type { XEmulator } from "../emulators/x/server.ts";
import { type StoredCredential, storedCredential } from "./stored-credential.ts";

export const nowMs = Date.UTC(2026, 10, 21, 12);
export const minuteMs = 60_000;
export const dayMs = 86_400_000;
export const clientId = "client-of-tests";

export const idAt = (ms: number, n = 0): string => String(lowestId(ms) + BigInt(n));

/** Bypasses the guarded fetch. */
export const tools: CredentialTools = {
  fetch: async (url, options = {}) => {
    const response = await undiciFetch(url, { ...options, redirect: "manual" });
    const body = Buffer.from(await response.arrayBuffer());
    return fetchedResponse(url, response, body);
  },
  now: () => nowMs,
  randomBytes,
};

export const storedXCredential = (
  secrets: Secrets,
  subject: string | null = null,
): StoredCredential => storedCredential(secrets, { platform: "x", subject });

export type TestSession = Session & { settledBill: Required<Bill>; reservedBill: Required<Bill> };

export function sessionWith(
  x: Pick<XEmulator, "url">,
  kind: CredentialKind,
  credential: CredentialInUse,
  atMs = nowMs,
): TestSession {
  const settledBill = { postReads: 0, userReads: 0, requests: 0 };
  const reservedBill = { ...settledBill };
  const session: TestSession = {
    platform: "x",
    access: kind.access,
    owner: "deployment",
    credentialId: credential.credential.id,
    subjectId: credential.credential.subject,
    baseUrl: x.url,
    nowMs: atMs,
    settledBill,
    reservedBill,
    get: async ({ path, query = {}, bill = {} }) => {
      const url = new URL(path, x.url);
      for (const [name, value] of Object.entries(query)) {
        if (value !== undefined) url.searchParams.set(name, String(value));
      }
      add(reservedBill, bill);
      const signal = AbortSignal.timeout(10_000);
      const response: FetchedResponse = await kind.send(
        { url, headers: {}, signal },
        credential,
        tools,
      );
      return {
        status: response.status,
        headers: response.headers,
        json: response.json(),
        settle: (reported) => add(settledBill, reported),
      };
    },
    getPublic: async () => {
      throw new Error("X shows nothing without a credential");
    },
  };
  return session;
}

function add(sum: Required<Bill>, { postReads = 0, userReads = 0, requests = 0 }: Bill): void {
  sum.postReads += postReads;
  sum.userReads += userReads;
  sum.requests += requests;
}

export const appSession = (x: XEmulator): TestSession =>
  sessionWith(x, xAppTokenKind(x.url), storedXCredential({ token: "app-token-0001" }));

export const allScopes = [
  "tweet.read",
  "users.read",
  "follows.read",
  "space.read",
  "offline.access",
];

export function userSession(
  x: XEmulator,
  userId: string,
  scopes: readonly string[] = allScopes,
): TestSession {
  const tokens = x.grant({ userId, scopes, clientId });
  const secrets = { clientId, clientSecret: "", expiresMs: "", ...tokens };
  return sessionWith(x, xUserTokenKind(x.url), storedXCredential(secrets, userId));
}

export const userTarget = (name: { handle?: string; id?: string }): UserTarget => ({
  kind: "user",
  platform: "x",
  handle: name.handle ?? null,
  id: name.id ?? null,
  host: null,
});

export const postTarget = (id: string): PostTarget => ({
  kind: "post",
  platform: "x",
  uri: `https://x.com/i/status/${id}`,
  id,
  host: null,
  url: null,
  handle: null,
  key: null,
});
