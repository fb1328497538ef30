import { expect, test } from "vitest";
import { shortDay, shortTime, zoneName } from "./time.tsx";

const nowMs = new Date(2026, 10, 28, 12).getTime();
const local = (...parts: [number, number, number, number, number]) =>
  new Date(...parts).toISOString();

test("a time includes the day unless it is today, and the year unless it is this year", () => {
  expect(shortTime(local(2026, 10, 28, 9, 5), nowMs)).toBe("09:05");
  expect(shortTime(local(2026, 10, 27, 9, 5), nowMs)).toMatch(/27.*09:05$/);
  expect(shortTime(local(2026, 10, 27, 9, 5), nowMs)).not.toContain("2026");
  expect(shortTime(local(2025, 10, 28, 9, 5), nowMs)).toMatch(/28.*2025.*09:05$/);
  expect(shortDay(new Date(2026, 0, 3).getTime(), nowMs)).not.toContain("2026");
  expect(shortDay(new Date(2024, 0, 3).getTime(), nowMs)).toContain("2024");
});

test.each([
  [0, "UTC"],
  [-60, "UTC+1"],
  [-330, "UTC+5:30"],
  [210, "UTC-3:30"],
  [300, "UTC-5"],
])("the time zone is named by its offset: %d minutes to UTC is %s", (minutes, name) => {
  expect(zoneName({ getTimezoneOffset: () => minutes })).toBe(name);
});
