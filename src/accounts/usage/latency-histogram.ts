/**
 * Exponential buckets (factor 1.1), accurate to 5 % from 1 ms to 11 days. Text form:
 * `<bucket>:<calls>` in base 36, separated by spaces, so that joining texts merges them.
 */
export type LatencyHistogram = Map<number, number>;

const growthFactor = 1.1;
const logGrowthFactor = Math.log(growthFactor);
const lastBucket = 217;

/** Bucket 0 is below 1 ms; bucket n starts at 1.1^(n − 1) ms. */
export function recordLatency(histogram: LatencyHistogram, ms: number): void {
  const bucket = computeBucket(ms);
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + 1);
}

function computeBucket(ms: number): number {
  // Also true for NaN.
  if (!(ms >= 1)) return 0;
  return Math.min(1 + Math.floor(Math.log(ms) / logGrowthFactor), lastBucket);
}

export function addLatencies(target: LatencyHistogram, source: LatencyHistogram): void {
  for (const [bucket, calls] of source) target.set(bucket, (target.get(bucket) ?? 0) + calls);
}

/** The percentile by nearest rank; null if there are no calls. */
export function latencyAt(histogram: LatencyHistogram, share: number): number | null {
  const calls = [...histogram.values()].reduce((sum, count) => sum + count, 0);
  if (calls === 0) return null;
  const rank = Math.ceil(share * calls);
  let cumulative = 0;
  for (const [bucket, count] of [...histogram].toSorted(([a], [b]) => a - b)) {
    cumulative += count;
    if (cumulative >= rank) return bucketMiddle(bucket);
  }
  return null;
}

/** Geometric mean of the bounds, which are 4.9 % away. */
function bucketMiddle(bucket: number): number {
  if (bucket === 0) return 0;
  return Number((growthFactor ** (bucket - 0.5)).toPrecision(4));
}

export const printLatencies = (histogram: LatencyHistogram): string =>
  [...histogram].map(([bucket, calls]) => `${bucket.toString(36)}:${calls.toString(36)}`).join(" ");

/** Skips malformed entries. Reads character codes for speed, because a busy month has megabytes. */
export function parseLatencies(text: string): LatencyHistogram {
  const histogram: LatencyHistogram = new Map();
  let bucket = Number.NaN;
  let number = 0;
  for (let index = 0; index <= text.length; index += 1) {
    const charCode = index < text.length ? text.charCodeAt(index) : space;
    if (charCode === colon) {
      bucket = number;
      number = 0;
    } else if (charCode === space) {
      if (bucket <= lastBucket && number > 0) {
        histogram.set(bucket, (histogram.get(bucket) ?? 0) + number);
      }
      bucket = Number.NaN;
      number = 0;
    } else {
      number = number * 36 + parseDigit(charCode);
    }
  }
  return histogram;
}

const space = 32;
const colon = 58;

/** NaN makes the whole number NaN. */
function parseDigit(charCode: number): number {
  if (charCode >= 48 && charCode <= 57) return charCode - 48;
  return charCode >= 97 && charCode <= 122 ? charCode - 87 : Number.NaN;
}
