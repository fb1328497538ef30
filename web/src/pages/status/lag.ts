import type { StatusResponse } from "../../../../src/http/dashboard/contract/status.ts";
import type { UsageRange } from "../../../../src/http/dashboard/contract/usage.ts";
import type { Platform } from "../../../../src/posts/post.ts";
import type { TimeStep } from "../../components/brush.tsx";

const widthsMs: Readonly<Record<UsageRange, number>> = {
  "24h": 300_000,
  "7d": 1_800_000,
  "30d": 7_200_000,
};

export type LagSeries = { platform: Platform; values: (number | null)[] };

/** In seconds per bucket of the range or the selected part; null where none was reported. */
export function lagSeries(
  { range, from, to, platforms }: Pick<StatusResponse, "range" | "from" | "to" | "platforms">,
  selected: TimeStep | null = null,
): { buckets: TimeStep[]; series: LagSeries[] } {
  const { fromMs, toMs } = selected ?? { fromMs: Date.parse(from), toMs: Date.parse(to) };
  const widthMs = widthsMs[range];
  const firstMs = Math.floor(fromMs / widthMs) * widthMs;
  const bucketCount = Math.ceil((toMs - firstMs) / widthMs);
  const buckets = Array.from({ length: bucketCount }, (_, index) => ({
    fromMs: firstMs + index * widthMs,
    toMs: firstMs + (index + 1) * widthMs,
  }));
  const series = platforms
    .filter(({ lag }) => lag.length > 0)
    .map(({ platform, lag }) => {
      const values = buckets.map((): number | null => null);
      for (const { at, lag_ms: lagMs } of lag) {
        const bucket = Math.floor((Date.parse(at) - firstMs) / widthMs);
        if (bucket >= 0 && bucket < bucketCount) values[bucket] = lagMs / 1_000;
      }
      return { platform, values };
    });
  return { buckets, series };
}
