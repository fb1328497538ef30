import type { FetchedResponse } from "../lib/guarded-fetch.ts";
import type { Platform } from "../posts/post.ts";
import type { AccessKind } from "./upstream.ts";

export type Credential = {
  id: string;
  /** Null if the deployment owns the credential. */
  accountId: string | null;
  platform: Platform;
  kind: string;
  /** The server's origin, such as `https://bsky.social`. */
  host: string;
  /** A DID, account id or user id; null for an application. */
  subject: string | null;
  subjectName: string | null;
  hint: string;
  createdMs: number;
  usedMs: number | null;
  quarantine: { sinceMs: number; reason: string } | null;
  coolings: readonly { bucket: string; untilMs: number; reason: string }[];
};

/** The credential kind defines the names, such as `password` or `refreshToken`. */
export type Secrets = Readonly<Record<string, string>>;

export type CredentialKind = {
  platform: Platform;
  name: string;
  access: Exclude<AccessKind, "public">;
  title: string;
  purpose: string;
  description: string;
  sharing?: string;
  /** In display order. Secret fields are never read from the command line. */
  fields: readonly CredentialField[];
  /** Validates the values with the platform. Errors: `credential_invalid` with field and reason. */
  make(values: Readonly<Record<string, string>>, tools: CredentialTools): Promise<NewCredential>;
  authorization?: Authorization;
  /** Errors: `credential_refused`; `upstream_failed`. */
  test(stored: CredentialInUse, tools: CredentialTools): Promise<string>;
  /**
   * Logs in and renews if necessary (see `renew`). Throws `credential_refused` for a final 401;
   * other responses are returned.
   */
  send(
    request: AuthorizedRequest,
    stored: CredentialInUse,
    tools: CredentialTools,
  ): Promise<FetchedResponse>;
  /**
   * What a remote node needs to send without renewal. Absent if requests are billed or sessions
   * need renewal.
   */
  releasedSecrets?: (secrets: Secrets) => Secrets | null;
};

type Authorization = {
  fields: readonly CredentialField[];
  /** Shows a URL, then reads the URL of the redirect. Errors: `credential_invalid`. */
  run(
    values: Readonly<Record<string, string>>,
    tools: CredentialTools,
    dialogue: Dialogue,
  ): Promise<NewCredential>;
};

export type Dialogue = {
  show(text: string): void;
  /** Trims the input. Errors: `input_ended`. */
  prompt(question: string): Promise<string>;
};

export type CredentialField = {
  name: string;
  label: string;
  hint?: string;
  description: string;
  isSecret: boolean;
  isOptional: boolean;
};

export type NewCredential = {
  host: string;
  subject: string | null;
  subjectName: string | null;
  hint: string;
  secrets: Secrets;
};

export type AuthorizedRequest = {
  url: URL;
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
};

export type CredentialInUse = {
  credential: Credential;
  secrets(): Secrets;
  /**
   * `make` runs for one caller at a time; concurrent callers share its result, which is then
   * stored. It is not called if the secrets no longer equal `expected`.
   */
  renew(expected: Secrets, make: (stored: Secrets) => Promise<Secrets>): Promise<Secrets>;
};

export type CredentialTools = {
  /** Sends only GET and POST, and follows no redirects with a credential. */
  fetch: (
    url: URL,
    options?: {
      method?: "GET" | "POST";
      body?: string;
      headers?: Readonly<Record<string, string>>;
      signal?: AbortSignal;
    },
  ) => Promise<FetchedResponse>;
  now: () => number;
  randomBytes: (length: number) => Uint8Array;
};
