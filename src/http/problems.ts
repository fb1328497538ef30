import { accessProblems } from "./problems/access.ts";
import { badRequestProblems } from "./problems/bad-request.ts";
import { conflictProblems } from "./problems/conflict.ts";
import type { ProblemDefinition } from "./problems/definition.ts";
import { limitProblems } from "./problems/limits.ts";
import { notFoundProblems } from "./problems/not-found.ts";
import { serverProblems } from "./problems/server-errors.ts";
import { unprocessableProblems } from "./problems/unprocessable.ts";

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

/** Every problem of the API by its code, in the order of their statuses. Pages and OpenAPI examples are generated from it. */
export const problems: Readonly<Record<ProblemCode, ProblemDefinition>> = definitions;

export const problemCodes = Object.keys(problems) as readonly ProblemCode[];

/** The `type` of a problem: the path of its page. */
export function problemType(code: ProblemCode): string {
  return `/docs/errors/${code}`;
}

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code);
}
