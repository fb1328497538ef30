import { expect, test } from "vitest";
import {
  ago,
  hourMs,
  makeLivePlatform,
  makePlatform,
  makeStatus,
} from "../../status.test-support.ts";
import { lagSeries } from "./lag.ts";

test("lags are placed at their times, with null where no lag was reported", () => {
  const lag = [
    { at: ago(2 * hourMs), lag_ms: 1_500 },
    { at: ago(hourMs), lag_ms: 2_000 },
    { at: ago(1_000 * hourMs), lag_ms: 9 },
  ];
  const status = makeStatus(makePlatform("bluesky", { lag }), makeLivePlatform("x"));
  const [series, ...more] = lagSeries(status).series;
  expect(more).toEqual([]);
  expect(series?.values).toHaveLength(336);
  expect(series?.values.slice(-4)).toEqual([1.5, null, 2, null]);
  const part = { fromMs: Date.parse(ago(2 * hourMs)), toMs: Date.parse(ago(hourMs)) };
  const shown = lagSeries(status, part);
  expect(shown.series.map(({ values }) => values)).toEqual([[1.5, null]]);
  expect([shown.buckets[0]?.fromMs, shown.buckets.at(-1)?.toMs]).toEqual([part.fromMs, part.toMs]);
});
