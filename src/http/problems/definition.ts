import type { ErrorDetail } from "../../lib/errors.ts";

/** Texts are Markdown; links are relative to docs/errors. */
export type ProblemDefinition = {
  status: number;
  title: string;
  /** Whether the same request can succeed later. */
  retryable: boolean;
  hint?: string;
  cause: string;
  fix: readonly string[];
  example: ProblemExample;
};

type ProblemExample = {
  request: string;
  detail: string;
  hint?: string;
  errors?: readonly ErrorDetail[];
  /** Refused submissions contain an empty `uuid`. */
  isSubmission?: true;
};
