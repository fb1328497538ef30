import type { AllowedSigner } from "./allow-list.ts";

export const githubUrl = "https://github.com";
export const gitlabUrl = "https://gitlab.com";

/** What an operator says of sign-in. A provider without both its client's id and secret is not offered. */
export type SignInSettings = {
  githubUrl: string;
  githubClientId: string | null;
  githubClientSecret: string | null;
  gitlabUrl: string;
  gitlabClientId: string | null;
  gitlabClientSecret: string | null;
  allow: readonly AllowedSigner[];
  /** `<provider>:<number>`. */
  operators: readonly string[];
  attemptMs: number;
  linkMs: number;
  attemptsPerMinute: number;
};

export const signInDefaults = {
  attemptMs: 600_000,
  linkMs: 900_000,
  attemptsPerMinute: 30,
  timeoutMs: 10_000,
  maxAnswerBytes: 256 * 1024,
};
