import type { UsageResponse } from "../../../../src/http/dashboard/contract/usage.ts";
import type { TimeStep } from "../../components/brush.tsx";
import { rangeLabel } from "../../ranges.ts";

const maxHourlyMs = 2 * 86_400_000;

/** The whole range, or the buckets that overlap a selected time. */
export type ShownUsage = UsageResponse & { span: string; isSelection: boolean };

export function shownUsage(usage: UsageResponse, selected: TimeStep | null): ShownUsage {
  if (selected === null) return { ...usage, span: rangeLabel(usage.range), isSelection: false };
  const buckets = usage.buckets.filter(
    ({ start }) =>
      Date.parse(start) < selected.toMs && Date.parse(start) + usage.bucket_ms > selected.fromMs,
  );
  const isHourly = selected.toMs - selected.fromMs < maxHourlyMs;
  return {
    ...usage,
    buckets,
    // Labels hours instead of days.
    range: isHourly ? "24h" : usage.range,
    span: "the selected time",
    isSelection: true,
  };
}

export function timeSteps({ buckets, bucket_ms: widthMs }: UsageResponse): TimeStep[] {
  return buckets.map(({ start }) => ({
    fromMs: Date.parse(start),
    toMs: Date.parse(start) + widthMs,
  }));
}
