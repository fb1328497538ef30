import type { CredentialFieldListing } from "../../../../src/http/dashboard/contract.ts";
import type { ApiProblem } from "../../api.ts";
import { sentence } from "../../components/problem-note.tsx";

/** What is wrong, by the name of the field. */
export type FieldFaults = Readonly<Record<string, string>>;

/** What the server points at, below /fields/. */
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

/** The fields that must not be empty and are. */
export function emptyFaults(
  fields: readonly CredentialFieldListing[],
  values: Readonly<Record<string, string>>,
): FieldFaults {
  const empty = fields.filter(
    ({ name, is_optional: isOptional }) => !isOptional && (values[name] ?? "").trim() === "",
  );
  return Object.fromEntries(empty.map(({ name }) => [name, "This field is required."]));
}
