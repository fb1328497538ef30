import { useId } from "preact/compat";
import type { KeyLimitsResponse } from "../../../../src/http/dashboard/contract/keys.ts";
import { type Method, methodNames } from "../../../../src/platforms/methods.ts";
import { Check, Field, LabelledSelect, type Option } from "../../components/field.tsx";
import type { ExpiryChoice, KeyForm, KeyFormErrors } from "./key-form.ts";

const expiryOptions: readonly Option<ExpiryChoice>[] = [
  { value: "90", label: "After 90 days" },
  { value: "30", label: "After 30 days" },
  { value: "never", label: "Never" },
  { value: "date", label: "On a date" },
];

export function KeyFields({
  form,
  errors,
  limits,
  onChange,
}: {
  form: KeyForm;
  errors: KeyFormErrors;
  limits: KeyLimitsResponse;
  onChange(form: KeyForm): void;
}) {
  const change = (part: Partial<KeyForm>) => onChange({ ...form, ...part });
  return (
    <>
      <Field
        label="Name"
        name="key-name"
        value={form.name}
        maxLength={60}
        autoFocus
        error={errors.name ?? null}
        help="What will use it. You will see this name when you revoke it."
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <MethodFields form={form} error={errors.methods} onChange={change} />
      <LabelledSelect
        label="Expires"
        options={expiryOptions}
        value={form.expiry}
        onPick={(expiry) => change({ expiry })}
      />
      {form.expiry === "date" ? (
        <Field
          label="Last day"
          type="date"
          value={form.day}
          error={errors.expires ?? null}
          onChange={(event) => change({ day: event.currentTarget.value })}
        />
      ) : null}
      <div className="field-pair">
        <Field
          label="Requests per second"
          inputMode="numeric"
          value={form.requests}
          placeholder={ratePlaceholder(limits.requests_per_second)}
          error={errors.requests ?? null}
          help="Leave empty to use the account's limit."
          onChange={(event) => change({ requests: event.currentTarget.value })}
        />
        <Field
          label="Searches per minute"
          inputMode="numeric"
          value={form.searches}
          placeholder={ratePlaceholder(limits.submissions_per_minute)}
          error={errors.searches ?? null}
          help="At most the account's limit."
          onChange={(event) => change({ searches: event.currentTarget.value })}
        />
      </div>
    </>
  );
}

const ratePlaceholder = (rate: number | null) => (rate === null ? "no limit" : String(rate));

function MethodFields({
  form,
  error,
  onChange,
}: {
  form: KeyForm;
  error: string | undefined;
  onChange(part: Partial<KeyForm>): void;
}) {
  const id = useId();
  const toggle = (method: Method) =>
    onChange({
      methods: methodNames.filter((name) =>
        name === method ? !form.methods.includes(name) : form.methods.includes(name),
      ),
    });
  const scopeOption = (value: KeyForm["methodScope"], label: string) => (
    <label className="check">
      <input
        type="radio"
        name={id}
        checked={form.methodScope === value}
        onChange={() => onChange({ methodScope: value })}
      />{" "}
      {label}
    </label>
  );
  return (
    <fieldset
      className="field"
      data-invalid={error === undefined ? undefined : ""}
      aria-describedby={error === undefined ? undefined : `${id}-error`}
    >
      <legend>Methods</legend>
      <div className="checks">
        {scopeOption("all", "All methods")}
        {scopeOption("some", "Selected methods")}
      </div>
      {form.methodScope === "some" ? (
        <div className="checks" data-columns="">
          {methodNames.map((method) => (
            <Check
              key={method}
              label={<code>{method}</code>}
              checked={form.methods.includes(method)}
              onChange={() => toggle(method)}
            />
          ))}
        </div>
      ) : null}
      {error === undefined ? null : (
        <p id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
