import fc from "fast-check";
import { expect, test } from "vitest";
import { parseIsoTime } from "./time.ts";

test.each([
  ["2015-02-24T19:35:52Z", Date.UTC(2015, 1, 24, 19, 35, 52)],
  ["2015-02-24T19:35:52.1239Z", Date.UTC(2015, 1, 24, 19, 35, 52, 123)],
  ["2015-02-24T19:35:52+02:30", Date.UTC(2015, 1, 24, 17, 5, 52)],
  ["2015-02-24T19:35:52-0830", Date.UTC(2015, 1, 25, 4, 5, 52)],
  ["2015-02-24 19:35", Date.UTC(2015, 1, 24, 19, 35)],
  ["2015-02-24T19:35:52", Date.UTC(2015, 1, 24, 19, 35, 52)],
  ["2015-02-24", Date.UTC(2015, 1, 24)],
  ["0001-01-01T00:00:00Z", -62_135_596_800_000],
  ["0000-01-01T00:00:00Z", -62_167_219_200_000],
  ["1970-01-01T00:00:00Z", 0],
  ["2009-06-01T00:00:00Z", Date.UTC(2009, 5, 1)],
  ["9999-12-31T23:59:59Z", Date.UTC(9999, 11, 31, 23, 59, 59)],
  ["2016-12-31T23:59:60Z", Date.UTC(2017, 0, 1)],
  ["2016-02-29", Date.UTC(2016, 1, 29)],
])("the ISO time %s is parsed", (text, ms) => {
  expect(parseIsoTime(text)).toBe(ms);
});

test.each([
  "",
  "yesterday",
  "2015-02-30",
  "2015-02-29T00:00:00Z",
  "2015-13-01",
  "2015-00-01",
  "2015-02-24T24:00:00Z",
  "2015-02-24T19:60:00Z",
  "2015-02-24T19:35:52+24:00",
  "2015-02-24T19",
  "Wed Oct 05 20:11:30 +0000 2011",
  "1424806552",
  "+012015-02-24",
])("the ISO time %j is rejected", (text) => {
  expect(parseIsoTime(text)).toBeNull();
});

test("every time that JavaScript writes is parsed", () => {
  const date = fc.date({
    noInvalidDate: true,
    min: new Date("0001-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
  });
  fc.assert(
    fc.property(date, (time) => {
      expect(parseIsoTime(time.toISOString())).toBe(time.getTime());
    }),
  );
});
