import type { PostReference } from "../posts/post.ts";

/** What a record of an unknown file claims about who and where it is; nothing of it is checked yet. */
export type ClaimedIdentity = {
  id: string | null;
  uri: string | null;
  url: string | null;
  author: string;
  authorId: string | null;
  /** When the claim is made, Unix milliseconds: no post is from long after it. */
  nowMs: number;
};

/** What the platform makes of the claim. `uri` is null when the record names nothing that identifies it. */
export type Identity = {
  uri: string | null;
  url: string | null;
  nativeId: bigint | null;
  userId: string | null;
  /** When the network saw the post, as its id or uri tells; null when they do not. */
  seenMs: number | null;
};

/** A claim that cannot be true: which field, and what it should be. */
export type IdentityError = { field: string; expected: string; found: string };

/** What each platform knows of identity. */
export type IdentityRules = {
  identify(claim: ClaimedIdentity): Identity | IdentityError;
  /**
   * The post that an id field (`in_reply_to_id`, `quote_of_id` …) of a record by `author` names; null when it names none. An
   * id leads to the uri that a post has which is known by its id alone.
   */
  reference(id: string, author: string): PostReference | null;
  /** What such a field holds; completes the sentence "expected …". */
  referenceForm: string;
};

export const isIdentityError = (outcome: Identity | IdentityError): outcome is IdentityError =>
  "expected" in outcome;

/** Whether it has the form of a uri: a scheme, a colon, and something behind it. */
export const isUri = (text: string): boolean => /^[a-z][a-z0-9+.-]*:./i.test(text);

/** Whether it is an http or https address that can be opened. */
export function isWebAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text)) return false;
  return URL.canParse(text);
}
