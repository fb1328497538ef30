/**
 * How long calls took, in buckets each a tenth longer than the one before it, so that histograms of any times can be put
 * together and a percentile of the whole is read with a relative error of at most 5 % (from 1 ms to 11 days; what took less
 * counts as 0 ms, what took longer as 11 days).
 *
 * As a text it is `<bucket>:<calls>` in base 36, separated by spaces. Two texts with a space between them are the text of
 * both together.
 */
export type LatencyHistogram = Map<number, number>;

const step = 1.1;
const logOfStep = Math.log(step);
/** 1.1^217 ms is about 11 days. */
const lastBucket = 217;

/** Bucket 0 is what took less than 1 ms; bucket n begins at 1.1^(n − 1) ms. */
export function noteLatency(histogram: LatencyHistogram, ms: number): void {
  const bucket = bucketOf(ms);
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + 1);
}

function bucketOf(ms: number): number {
  // What is no number has no place among the times.
  if (!(ms >= 1)) return 0;
  return Math.min(1 + Math.floor(Math.log(ms) / logOfStep), lastBucket);
}

export function addLatencies(into: LatencyHistogram, more: LatencyHistogram): void {
  for (const [bucket, calls] of more) into.set(bucket, (into.get(bucket) ?? 0) + calls);
}

/**
 * The time within which a share of the calls, from above 0 to 1, had ended (the nearest rank) in milliseconds; null where
 * there are none.
 */
export function latencyAt(histogram: LatencyHistogram, share: number): number | null {
  const calls = [...histogram.values()].reduce((sum, count) => sum + count, 0);
  if (calls === 0) return null;
  const rank = Math.ceil(share * calls);
  let passed = 0;
  for (const [bucket, count] of [...histogram].toSorted(([a], [b]) => a - b)) {
    passed += count;
    if (passed >= rank) return middleOf(bucket);
  }
  return null;
}

/** The geometric middle of a bucket: both of its ends are 4.9 % away. */
function middleOf(bucket: number): number {
  if (bucket === 0) return 0;
  return Number((step ** (bucket - 0.5)).toPrecision(4));
}

export const printLatencies = (histogram: LatencyHistogram): string =>
  [...histogram].map(([bucket, calls]) => `${bucket.toString(36)}:${calls.toString(36)}`).join(" ");

/**
 * What cannot be read is passed over. It reads the text sign by sign: a busy account's month is some megabytes of it, put
 * together from thousands of texts.
 */
export function parseLatencies(text: string): LatencyHistogram {
  const histogram: LatencyHistogram = new Map();
  let bucket = Number.NaN;
  let number = 0;
  for (let index = 0; index <= text.length; index += 1) {
    const sign = index < text.length ? text.charCodeAt(index) : space;
    if (sign === colon) {
      bucket = number;
      number = 0;
    } else if (sign === space) {
      if (bucket <= lastBucket && number > 0) {
        histogram.set(bucket, (histogram.get(bucket) ?? 0) + number);
      }
      bucket = Number.NaN;
      number = 0;
    } else {
      number = number * 36 + digitOf(sign);
    }
  }
  return histogram;
}

const space = 32;
const colon = 58;

/** Of 0 to 9 and a to z; what is neither is no number, nor is anything with it. */
function digitOf(sign: number): number {
  if (sign >= 48 && sign <= 57) return sign - 48;
  return sign >= 97 && sign <= 122 ? sign - 87 : Number.NaN;
}
