import { accessProblems } from "./access.ts";
import { badRequestProblems } from "./bad-request.ts";
import { conflictProblems } from "./conflict.ts";
import type { ProblemDefinition } from "./definition.ts";
import { limitProblems } from "./limits.ts";
import { notFoundProblems } from "./not-found.ts";
import { serverProblems } from "./server-errors.ts";
import { unprocessableProblems } from "./unprocessable.ts";

const definitions = {
  ...badRequestProblems,
  ...accessProblems,
  ...notFoundProblems,
  ...conflictProblems,
  ...unprocessableProblems,
  ...limitProblems,
  ...serverProblems,
};

export type ProblemCode = keyof typeof definitions;

/** Ordered by status. The documentation and OpenAPI examples are generated from it. */
export const problems: Readonly<Record<ProblemCode, ProblemDefinition>> = definitions;

export const problemCodes = Object.keys(problems) as readonly ProblemCode[];

export function problemType(code: ProblemCode): string {
  return `/docs/errors/${code}`;
}

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code);
}
