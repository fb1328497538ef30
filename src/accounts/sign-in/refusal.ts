/** Why a sign-in did not come to its end, in the words that the sign-in page knows. */
export const refusalWords = [
  "denied",
  "expired",
  "refused",
  "not_allowed",
  "provider_failed",
  "suspended",
  "too_many",
] as const;

export type RefusalWord = (typeof refusalWords)[number];

/** A sign-in that was refused. `reason` says more for the log and the audit: a word of ours, never one of the provider's. */
export class SignInRefused extends Error {
  readonly word: RefusalWord;
  readonly reason: string;

  constructor(word: RefusalWord, reason: string) {
    super(`the sign-in was refused: ${reason}`);
    this.name = "SignInRefused";
    this.word = word;
    this.reason = reason;
  }
}
