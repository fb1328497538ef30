import type { StatusAnswer, UsageRange } from "../../../../src/http/dashboard/contract.ts";
import type { Platform } from "../../../../src/posts/post.ts";

const widthsMs: Readonly<Record<UsageRange, number>> = {
  "24h": 300_000,
  "7d": 1_800_000,
  "30d": 7_200_000,
};

export type LagSeries = { platform: Platform; values: (number | null)[] };

/** Lags in seconds per bucket of the range; null where none was reported. */
export function lagSeries({
  range,
  from,
  to,
  platforms,
}: Pick<StatusAnswer, "range" | "from" | "to" | "platforms">): LagSeries[] {
  const widthMs = widthsMs[range];
  const firstMs = Math.floor(Date.parse(from) / widthMs) * widthMs;
  const positions = Math.ceil((Date.parse(to) - firstMs) / widthMs);
  return platforms
    .filter(({ lag }) => lag.length > 0)
    .map(({ platform, lag }) => {
      const values = Array.from({ length: positions }, (): number | null => null);
      for (const { at, lag_ms: lagMs } of lag) {
        const position = Math.floor((Date.parse(at) - firstMs) / widthMs);
        if (position >= 0 && position < positions) values[position] = lagMs / 1_000;
      }
      return { platform, values };
    });
}
