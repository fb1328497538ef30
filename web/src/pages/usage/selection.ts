import type { UsageResponse } from "../../../../src/http/dashboard/contract/usage.ts";
import type { TimeStep } from "../../components/brush.tsx";
import { rangeLabel } from "../../ranges.ts";

const longestDayMs = 2 * 86_400_000;

/** What the plots show: the range, or the buckets that touch a selected time. */
export type ShownUsage = UsageResponse & { span: string; isPart: boolean };

export function shownUsage(usage: UsageResponse, selected: TimeStep | null): ShownUsage {
  if (selected === null) return { ...usage, span: rangeLabel(usage.range), isPart: false };
  const buckets = usage.buckets.filter(
    ({ start }) =>
      Date.parse(start) < selected.toMs && Date.parse(start) + usage.bucket_ms > selected.fromMs,
  );
  const isHourly = selected.toMs - selected.fromMs < longestDayMs;
  return {
    ...usage,
    buckets,
    // The range of a day has hours as labels.
    range: isHourly ? "24h" : usage.range,
    span: "the selected time",
    isPart: true,
  };
}

export function timeSteps({ buckets, bucket_ms: widthMs }: UsageResponse): TimeStep[] {
  return buckets.map(({ start }) => ({
    fromMs: Date.parse(start),
    toMs: Date.parse(start) + widthMs,
  }));
}
