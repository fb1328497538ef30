import type { Method } from "../../platforms/methods.ts";

export const grantableMethods = [
  "searchbyquery",
  "searchbyfullarchive",
  "getbyid",
  "getprofilebyid",
  "gettrends",
] as const satisfies readonly Method[];

export const allScopes = grantableMethods.join(" ");

/** All methods if the scope is empty; none if it contains only unknown methods. */
export function methodsInScope(scope: string | null): readonly Method[] {
  const names = (scope ?? "").split(" ").filter((name) => name !== "");
  return names.length === 0
    ? grantableMethods
    : grantableMethods.filter((method) => names.includes(method));
}
