import { expect, test } from "vitest";
import {
  hourMs,
  makeLivePlatform,
  makePlatform,
  makeStatus,
  timeAgo,
} from "../../status.test-support.ts";
import { lagSeries } from "./lag.ts";

test("each lag falls into the bucket of its time, with null where none was reported", () => {
  const lag = [
    { at: timeAgo(2 * hourMs), lag_ms: 1_500 },
    { at: timeAgo(hourMs), lag_ms: 2_000 },
    { at: timeAgo(1_000 * hourMs), lag_ms: 9 },
  ];
  const status = makeStatus(makePlatform("bluesky", { lag }), makeLivePlatform("x"));
  const [series, ...otherSeries] = lagSeries(status).series;
  expect(otherSeries).toEqual([]);
  expect(series?.values).toHaveLength(336);
  expect(series?.values.slice(-4)).toEqual([1.5, null, 2, null]);
  const selected = { fromMs: Date.parse(timeAgo(2 * hourMs)), toMs: Date.parse(timeAgo(hourMs)) };
  const clippedLag = lagSeries(status, selected);
  expect(clippedLag.series.map(({ values }) => values)).toEqual([[1.5, null]]);
  expect([clippedLag.buckets[0]?.fromMs, clippedLag.buckets.at(-1)?.toMs]).toEqual([
    selected.fromMs,
    selected.toMs,
  ]);
});
