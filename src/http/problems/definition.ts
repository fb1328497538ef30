import type { ErrorDetail } from "../../lib/errors.ts";

/** A problem of the API with its documentation. Texts are Markdown; links are relative to docs/errors. */
export type ProblemDefinition = {
  status: number;
  title: string;
  /** Whether the same request can succeed later. */
  retryable: boolean;
  /** The hint of an error that has none of its own. */
  hint?: string;
  cause: string;
  fix: readonly string[];
  example: ProblemExample;
};

/** A request that leads to the problem, and what is specific to the response. */
type ProblemExample = {
  request: string;
  detail: string;
  hint?: string;
  errors?: readonly ErrorDetail[];
  /** Refused submissions contain an empty `uuid`. */
  isSubmission?: true;
};
