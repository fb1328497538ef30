import "./field.css";
import { type ComponentProps, type ReactNode, useId } from "preact/compat";
import { Icon } from "./icons.tsx";

/** Preact's type requires an input's `type` at build time. */
type InputProps = Omit<ComponentProps<"input">, "id" | "list" | "role" | "type"> & {
  type?: string;
};

export function Field({
  label,
  help,
  error,
  ...input
}: InputProps & {
  label: ReactNode;
  help?: ReactNode;
  /** The error and how to fix it; null if valid. */
  error?: string | null;
}) {
  const id = useId();
  const note = error ?? help;
  return (
    <div className="field" data-invalid={error ? "" : undefined}>
      <label htmlFor={id}>{label}</label>
      <input
        className="input"
        id={id}
        autoComplete="off"
        aria-invalid={error ? true : undefined}
        aria-describedby={note ? `${id}-help` : undefined}
        {...(input as ComponentProps<"input">)}
      />
      {note ? (
        <p id={`${id}-help`} role={error ? "alert" : undefined}>
          {note}
        </p>
      ) : null}
    </div>
  );
}

export type Option<Value extends string> = { value: Value; label: string };

/** Forms use LabelledSelect instead. */
export function Select<Value extends string>({
  options,
  value,
  onPick,
  ...rest
}: {
  options: readonly Option<Value>[];
  value: Value;
  onPick(value: Value): void;
  id?: string;
  "aria-label"?: string;
}) {
  return (
    <span className="picker">
      <select
        className="select"
        value={value}
        onChange={(event) => {
          const picked = options.find((option) => option.value === event.currentTarget.value);
          if (picked !== undefined) onPick(picked.value);
        }}
        {...rest}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  );
}

export function LabelledSelect<Value extends string>({
  label,
  help,
  ...rest
}: Parameters<typeof Select<Value>>[0] & { label: string; help?: ReactNode }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <Select id={id} {...rest} />
      {help ? <p>{help}</p> : null}
    </div>
  );
}

export function Segmented<Value extends string>({
  legend,
  options,
  value,
  onPick,
}: {
  legend: string;
  options: readonly Option<Value>[];
  value: Value;
  onPick(value: Value): void;
}) {
  const name = useId();
  return (
    <fieldset className="segmented">
      <legend className="sr">{legend}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onPick(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}

export function Check({
  label,
  ...input
}: {
  label: ReactNode;
  checked: boolean;
  onChange(event: { currentTarget: HTMLInputElement }): void;
}) {
  return (
    <label className="check">
      <input {...input} type="checkbox" /> {label}
    </label>
  );
}
