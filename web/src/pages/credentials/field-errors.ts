import type { CredentialFieldListing } from "../../../../src/http/dashboard/contract.ts";
import type { ApiProblem } from "../../api.ts";
import { sentence } from "../../components/problem-note.tsx";

/** Messages by field name. */
export type FieldFaults = Readonly<Record<string, string>>;

/** Errors that point below /fields/. */
export function faultsOf(problem: ApiProblem | null): FieldFaults {
  const faults: Record<string, string> = {};
  for (const { pointer = "", message, hint } of problem?.details ?? []) {
    const [, place, name] = pointer.split("/");
    if (place !== "fields" || name === undefined) continue;
    faults[name] ??=
      hint === undefined ? sentence(message) : `${sentence(message)} ${sentence(hint)}`;
  }
  return faults;
}

/** Errors for empty required fields. */
export function emptyFaults(
  fields: readonly CredentialFieldListing[],
  values: Readonly<Record<string, string>>,
): FieldFaults {
  const empty = fields.filter(
    ({ name, is_optional: isOptional }) => !isOptional && (values[name] ?? "").trim() === "",
  );
  return Object.fromEntries(empty.map(({ name }) => [name, "This field is required."]));
}
