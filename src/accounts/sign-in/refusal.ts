/** Codes of the sign-in page. */
export const refusalCodes = [
  "denied",
  "expired",
  "refused",
  "not_allowed",
  "provider_failed",
  "suspended",
  "too_many",
] as const;

export type RefusalCode = (typeof refusalCodes)[number];

/** `reason`: a fixed word, never the provider's text. */
export class SignInRefused extends Error {
  readonly word: RefusalCode;
  readonly reason: string;

  constructor(word: RefusalCode, reason: string) {
    super(`the sign-in was refused: ${reason}`);
    this.name = "SignInRefused";
    this.word = word;
    this.reason = reason;
  }
}
