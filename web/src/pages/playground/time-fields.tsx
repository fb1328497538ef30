import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { type Request, requestTimes } from "./search-request.ts";

/** `start_time` and `end_time`, in the local zone. */
export function TimeFields({
  request,
  onChange,
}: {
  request: Request;
  onChange(request: Request): void;
}) {
  const { startTime, endTime, ...rest } = request;
  const change = (from: string | null, to: string | null) =>
    onChange({ ...rest, ...requestTimes(from, to) });
  return (
    <div className="composer-times">
      <Field
        label="From"
        type="datetime-local"
        value={localValue(startTime)}
        onChange={(event) => change(event.currentTarget.value, endTime ?? null)}
      />
      <Field
        label="To"
        type="datetime-local"
        value={localValue(endTime)}
        onChange={(event) => change(startTime ?? null, event.currentTarget.value)}
      />
      <Button size="small" variant="plain" onClick={() => change(null, null)}>
        Any time
      </Button>
    </div>
  );
}

/** For a `datetime-local` field: local time to the minute, without a zone. */
function localValue(iso: string | undefined): string {
  if (iso === undefined) return "";
  const date = new Date(iso);
  const twoDigits = (part: number) => String(part).padStart(2, "0");
  const day = `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
  return `${day}T${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}
