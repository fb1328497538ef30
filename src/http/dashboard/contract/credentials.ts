import type { Platform } from "../../../posts/post.ts";

/** GET /dashboard/api/credentials. */
export type CredentialsResponse = {
  credentials: readonly CredentialListing[];
  kinds: readonly CredentialKindListing[];
};
export type CredentialListing = {
  id: string;
  platform: Platform;
  kind: string;
  host: string;
  /** Null for app tokens. */
  subject: string | null;
  hint: string;
  created_at: string;
  used_at: string | null;
  state: "ready" | "cooling" | "quarantined";
  reason: string | null;
  until: string | null;
};
export type CredentialKindListing = {
  platform: Platform;
  kind: string;
  title: string;
  purpose: string;
  fields: readonly CredentialFieldListing[];
  /** Null if a credential needs only `fields`. */
  authorization: { fields: readonly CredentialFieldListing[] } | null;
};
export type CredentialFieldListing = {
  name: string;
  label: string;
  is_secret: boolean;
  is_optional: boolean;
  hint: string | null;
};
/** POST /dashboard/api/credentials: verified with the platform, then stored. */
export type NewCredentialRequest = {
  platform: Platform;
  kind: string;
  fields: Readonly<Record<string, string>>;
};
/** POST …/credentials/authorizations, then …/authorizations/<id> {answer} for each question. */
export type AuthorizationStep =
  | { state: "question"; id: string; texts: readonly string[]; question: string }
  | { state: "done"; credential: CredentialListing };
/** POST /dashboard/api/credentials/<id>/test. */
export type CredentialTest = { works: boolean; message: string; credential: CredentialListing };
