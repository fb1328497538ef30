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

/** `reason` is a fixed word, never the provider's text. */
export class SignInRefused extends Error {
  readonly code: RefusalCode;
  readonly reason: string;

  constructor(code: RefusalCode, reason: string) {
    super(`the sign-in was refused: ${reason}`);
    this.name = "SignInRefused";
    this.code = code;
    this.reason = reason;
  }
}
