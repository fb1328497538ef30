import type { Caller } from "../../accounts/authenticate.ts";
import { type Method, searchMethods } from "../../platforms/methods.ts";
import { problem } from "../problems/write-problem.ts";

/** Errors: `method_forbidden`. `pointer`: null if the path names the method. */
export function requireMethod(
  caller: Pick<Caller, "methods">,
  method: Method,
  pointer: string | null,
): void {
  const { methods } = caller;
  if (methods === null || methods.includes(method)) return;
  throw methodForbidden(methods, method, pointer);
}

/** A count is a search. Errors: `method_forbidden`. */
export function requireCounts(caller: Caller): void {
  const { methods } = caller;
  if (methods === null || searchMethods.some((method) => methods.includes(method))) return;
  throw methodForbidden(methods, searchMethods.join(" or "), null);
}

function methodForbidden(methods: readonly Method[], methodText: string, pointer: string | null) {
  const allowed = methods.join(" or ");
  return problem("method_forbidden", `the key does not allow ${methodText}`, {
    hint: `use ${allowed}, use another key, or change the methods of this one on the Keys page`,
    details: [
      {
        code: "method_forbidden",
        message: `the key does not allow ${methodText}`,
        ...(pointer === null ? {} : { pointer }),
        expected: methods,
      },
    ],
  });
}
