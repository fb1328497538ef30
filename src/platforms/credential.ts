import type { FetchedAnswer } from "../lib/guarded-fetch.ts";
import type { Platform } from "../posts/post.ts";
import type { AccessKind } from "./upstream.ts";

/** A credential as it is told of: nothing of it is secret. Times are Unix milliseconds. */
export type Credential = {
  id: string;
  /** Null: the deployment's. */
  accountId: string | null;
  platform: Platform;
  /** One of the platform's kinds, such as `app-password`. */
  kind: string;
  /** Where its requests go: an origin. */
  host: string;
  /** Whom it acts for: a DID, an account id, a user id; null for an application. */
  subject: string | null;
  /** The same by name. */
  subjectName: string | null;
  /** The first characters of what is secret. */
  hint: string;
  createdMs: number;
  usedMs: number | null;
  quarantine: { sinceMs: number; reason: string } | null;
  coolings: readonly { bucket: string; untilMs: number; reason: string }[];
};

/** What is secret of a credential, by name: texts that its kind knows, such as `password` or `refreshToken`. */
export type Secrets = Readonly<Record<string, string>>;

/** A kind of credential of a platform, and how it is used. A platform lists its own. */
export type CredentialKind = {
  platform: Platform;
  name: string;
  access: Exclude<AccessKind, "public">;
  /** What people call it, such as `Bluesky app password`. */
  title: string;
  /** What it is good for, one sentence to whoever connects it. */
  purpose: string;
  /** One sentence: what it is and where it is to be had. */
  meaning: string;
  /** What the operator has to know of one that serves every account, one sentence; absent where there is nothing. */
  sharing?: string;
  /** What has to be given, in the order in which it is asked for. Secret ones are never taken from the command line. */
  fields: readonly CredentialField[];
  /**
   * Reads what was given, asks the platform whether it is good, and returns what is to be kept. Errors:
   * `credential_invalid`, saying which field and why; those of the fetch.
   */
  make(given: Readonly<Record<string, string>>, tools: CredentialTools): Promise<NewCredential>;
  /** Another way to the same, where a person allows it in a browser; absent where there is none. */
  authorization?: Authorization;
  /** Asks the platform for as little as shows that the credential works; what it found, one line. Errors: `credential_refused`. */
  test(held: LeasedCredential, tools: CredentialTools): Promise<string>;
  /**
   * Sends a request with the credential: logs in, renews what has lapsed (alone, see `renew`), adds the headers. A 401 that a
   * renewed session does not mend is thrown as `credential_refused`; any other answer is returned as it is.
   */
  send(
    request: AuthorizedRequest,
    held: LeasedCredential,
    tools: CredentialTools,
  ): Promise<FetchedAnswer>;
  /**
   * The least of what is secret that sends requests without being renewed, for a remote node; null where that is missing. Absent
   * where nothing may be released: requests are billed, or a session has to be renewed.
   */
  released?: (secrets: Secrets) => Secrets | null;
};

/** How a person lets the platform give a credential. */
type Authorization = {
  /** What has to be given first, in place of the kind's `fields`. */
  fields: readonly CredentialField[];
  /**
   * Shows an address to open, asks for the address that the browser was sent to afterwards, and makes the credential of it.
   * Errors: `credential_invalid`, those of the fetch, those of `dialogue`.
   */
  run(
    given: Readonly<Record<string, string>>,
    tools: CredentialTools,
    dialogue: Dialogue,
  ): Promise<NewCredential>;
};

/** A person at a terminal. */
export type Dialogue = {
  /** Lines of text; control characters are taken out. */
  show(text: string): void;
  /** What was typed or pasted, without the space around it. Errors: `input_ended` when nothing comes any more. */
  ask(question: string): Promise<string>;
};

export type CredentialField = {
  name: string;
  /** What it is, before the box of a form. */
  label: string;
  /** What to write, or where it is to be had: one sentence beside the box; absent where the label says it all. */
  hint?: string;
  meaning: string;
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

/** A credential in use. */
export type LeasedCredential = {
  credential: Credential;
  /** What is secret, as it stands. */
  secrets(): Secrets;
  /**
   * Changes what is secret: `make` runs for one caller at a time, with what is held then, and what it returns is on disk when
   * this resolves. A caller that comes while another one renews gets what that one made. `seen` is what the caller found
   * wanting: when something else is held by then, `make` is not called.
   */
  renew(seen: Secrets, make: (held: Secrets) => Promise<Secrets>): Promise<Secrets>;
};

export type CredentialTools = {
  /** The guarded fetch: GET and POST, no redirects with a credential. */
  fetch: (
    url: URL,
    options?: {
      method?: "GET" | "POST";
      body?: string;
      headers?: Readonly<Record<string, string>>;
      signal?: AbortSignal;
    },
  ) => Promise<FetchedAnswer>;
  now: () => number;
  randomBytes: (length: number) => Uint8Array;
};
