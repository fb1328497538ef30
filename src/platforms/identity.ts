import type { PostReference } from "../posts/post.ts";

/** Imported values, not validated. */
export type ClaimedIdentity = {
  id: string | null;
  uri: string | null;
  url: string | null;
  author: string;
  authorId: string | null;
  nowMs: number;
};

export type RecordIdentity = {
  uri: string | null;
  url: string | null;
  nativeId: bigint | null;
  userId: string | null;
  /** Null if id and URI contain no time. */
  seenMs: number | null;
};

export type IdentityError = { field: string; expected: string; found: string };

export type IdentityRules = {
  identify(claim: ClaimedIdentity): RecordIdentity | IdentityError;
  /** Reads an id field (`in_reply_to_id`, `quote_of_id` …) of a record by `author`. */
  reference(id: string, author: string): PostReference | null;
  referenceForm: string;
  /** Forms that adapters produce; imported posts may have others. */
  isUserId(text: string): boolean;
  isPostUri(text: string): boolean;
};

export const isIdentityError = (
  outcome: RecordIdentity | IdentityError,
): outcome is IdentityError => "expected" in outcome;

export const isUri = (text: string): boolean => /^[a-z][a-z0-9+.-]*:./i.test(text);

export function isHttpUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text)) return false;
  return URL.canParse(text);
}
