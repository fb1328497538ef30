import type { UsageRange } from "./contract/usage.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** All widths divide a UTC day evenly. */
export const ranges = {
  "24h": { spanMs: dayMs, usageBucketMs: 30 * minuteMs, lagBucketMs: 5 * minuteMs },
  "7d": { spanMs: 7 * dayMs, usageBucketMs: 3 * hourMs, lagBucketMs: 30 * minuteMs },
  "30d": { spanMs: 30 * dayMs, usageBucketMs: 12 * hourMs, lagBucketMs: 2 * hourMs },
} as const satisfies Record<
  UsageRange,
  { spanMs: number; usageBucketMs: number; lagBucketMs: number }
>;

export const rangeNames = ["24h", "7d", "30d"] as const satisfies readonly UsageRange[];
