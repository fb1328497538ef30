import type { CredentialFieldListing } from "../../../../src/http/dashboard/contract/credentials.ts";
import type { ApiProblem } from "../../api.ts";
import { sentence } from "../../components/problem-note.tsx";

/** Messages by field name. */
export type FieldErrors = Readonly<Record<string, string>>;

/** Errors with a pointer under /fields/. */
export function fieldErrors(problem: ApiProblem | null): FieldErrors {
  const errors: Record<string, string> = {};
  for (const { pointer = "", message, hint } of problem?.details ?? []) {
    const [, section, name] = pointer.split("/");
    if (section !== "fields" || name === undefined) continue;
    errors[name] ??=
      hint === undefined ? sentence(message) : `${sentence(message)} ${sentence(hint)}`;
  }
  return errors;
}

export function emptyErrors(
  fields: readonly CredentialFieldListing[],
  values: Readonly<Record<string, string>>,
): FieldErrors {
  const emptyFields = fields.filter(
    ({ name, is_optional: isOptional }) => !isOptional && (values[name] ?? "").trim() === "",
  );
  return Object.fromEntries(emptyFields.map(({ name }) => [name, "This field is required."]));
}
