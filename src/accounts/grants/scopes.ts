import type { Method } from "../../platforms/methods.ts";

export const grantableMethods = [
  "searchbyquery",
  "searchbyfullarchive",
  "getbyid",
  "getprofilebyid",
  "gettrends",
] as const satisfies readonly Method[];

export const allScopes = grantableMethods.join(" ");

/** All methods if the scope requests none; none if all requested ones are unknown. */
export function methodsInScope(scope: string | null): readonly Method[] {
  const names = (scope ?? "").split(" ").filter((name) => name !== "");
  return names.length === 0
    ? grantableMethods
    : grantableMethods.filter((method) => names.includes(method));
}
