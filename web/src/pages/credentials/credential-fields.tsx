import type { CredentialFieldListing } from "../../../../src/http/dashboard/contract/credentials.ts";
import { Field } from "../../components/field.tsx";
import type { FieldErrors } from "./field-errors.ts";

export function CredentialFields({
  fields,
  values,
  errors,
  onChange,
}: {
  fields: readonly CredentialFieldListing[];
  values: Readonly<Record<string, string>>;
  errors: FieldErrors;
  onChange(name: string, value: string): void;
}) {
  return fields.map(({ name, label, hint, is_secret: isSecret, is_optional: isOptional }) => (
    <Field
      key={name}
      name={name}
      type={isSecret ? "password" : "text"}
      label={
        isOptional ? (
          <>
            {label} <span className="quiet">(optional)</span>
          </>
        ) : (
          label
        )
      }
      help={hint}
      error={errors[name] ?? null}
      value={values[name] ?? ""}
      autoCapitalize="none"
      autoCorrect="off"
      spellcheck={false}
      onChange={(event) => onChange(name, event.currentTarget.value)}
    />
  ));
}
