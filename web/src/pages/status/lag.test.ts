import { expect, test } from "vitest";
import { ago, hourMs, platformOf, requestedOf, statusOf } from "../../status.test-support.ts";
import { lagSeries } from "./lag.ts";

test("places lags at their times, null where none was reported", () => {
  const lag = [
    { at: ago(2 * hourMs), lag_ms: 1_500 },
    { at: ago(hourMs), lag_ms: 2_000 },
    { at: ago(1_000 * hourMs), lag_ms: 9 },
  ];
  const [series, ...more] = lagSeries(statusOf(platformOf("bluesky", { lag }), requestedOf("x")));
  expect(more).toEqual([]);
  expect(series?.values).toHaveLength(336);
  expect(series?.values.slice(-4)).toEqual([1.5, null, 2, null]);
});
