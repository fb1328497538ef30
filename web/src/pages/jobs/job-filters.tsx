import { Field, LabelledSelect } from "../../components/field.tsx";
import { type JobFilter, methodOptions, platformOptions } from "./filters.ts";

/** The server's limit. */
const maxTextLength = 100;

export function JobFilters({
  filter,
  onChange,
}: {
  filter: JobFilter;
  onChange(filter: JobFilter): void;
}) {
  return (
    <search className="panel-body jobs-filters" aria-label="Jobs">
      <Field
        label="Query contains"
        type="search"
        value={filter.text}
        maxLength={maxTextLength}
        onChange={(event) => onChange({ ...filter, text: event.currentTarget.value })}
      />
      <LabelledSelect
        label="Platform"
        options={platformOptions}
        value={filter.platform}
        onPick={(platform) => onChange({ ...filter, platform })}
      />
      <LabelledSelect
        label="Method"
        options={methodOptions}
        value={filter.method}
        onPick={(method) => onChange({ ...filter, method })}
      />
    </search>
  );
}
