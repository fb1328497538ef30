import { EarshotError, type ErrorDetail } from "../../lib/errors.ts";
import type { CredentialField } from "../../platforms/credential.ts";

type FieldValues = Readonly<Record<string, string>>;

const maxValueLength = 16_384;

/**
 * Returns trimmed, non-empty values. Errors: `credential_invalid`, with details that name the
 * fields but contain no values.
 */
export function checkFields(fields: readonly CredentialField[], input: FieldValues): FieldValues {
  const unknownNames = Object.keys(input).filter(
    (name) => !fields.some((field) => field.name === name),
  );
  const details = [
    ...unknownNames.slice(0, 1).map((name) => fieldError(name.slice(0, 60), "unknown field")),
    ...fields.flatMap((field) => fieldErrors(field, valueIn(input, field))),
  ];
  if (details.length > 0) throw invalidFields(details);
  const values = fields.map((field) => [field.name, valueIn(input, field)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== ""));
}

const valueIn = (input: FieldValues, { name }: CredentialField): string =>
  Object.hasOwn(input, name) ? (input[name] ?? "").trim() : "";

function fieldErrors({ name, isOptional }: CredentialField, value: string): ErrorDetail[] {
  if (value === "") return isOptional ? [] : [fieldError(name, "a value is required")];
  if (value.length > maxValueLength || /\p{Cc}/u.test(value)) {
    return [
      fieldError(name, `expected at most ${maxValueLength} characters, without control characters`),
    ];
  }
  return [];
}

const fieldError = (name: string, message: string): ErrorDetail => ({
  code: "invalid_value",
  message,
  pointer: pointerTo(name),
});

const pointerTo = (name: string): string =>
  `/fields/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

function invalidFields(details: readonly ErrorDetail[]): EarshotError {
  const [first] = details;
  const message = `${first?.pointer}: ${first?.message}`;
  return new EarshotError("credential_invalid", message, { status: 422, details });
}

/**
 * Adds a pointer that depends on the start of the message: to a field (`password: …`) or to the
 * answer (`the URL: …`).
 */
export function atField(error: EarshotError, fields: readonly CredentialField[]): EarshotError {
  const { code, status, retryable, hint } = error;
  const [, name = "", messageText = ""] = /^([\w ]{1,40}): (.+)$/s.exec(error.message) ?? [];
  const isField = fields.some((field) => field.name === name);
  if (!isField && name !== "the URL") return error;
  const message = isField ? messageText : error.message;
  const pointer = isField ? pointerTo(name) : "/answer";
  const hintField = hint === undefined ? {} : { hint };
  const details = [{ code: "invalid_value", message, pointer, ...hintField }];
  return new EarshotError(code, message, { status, retryable, details, ...hintField });
}
