import { expect, test } from "vitest";
import {
  ago,
  askedOf,
  gapsOfCoverage,
  hourMs,
  platformOf,
  statusOf,
  streamOf,
} from "../../status.test-support.ts";
import { situation } from "./sentence.ts";

const minute = hourMs / 60;

test("all is heard and nothing is missing", () => {
  expect(situation(statusOf(platformOf("bluesky"), platformOf("mastodon"), askedOf("x")))).toBe(
    "Listening to Bluesky and Mastodon. No gap in 7 days.",
  );
});

test("what is missing is told with how much", () => {
  const coverage = gapsOfCoverage(
    [120 * hourMs, 115 * hourMs],
    [30 * hourMs, 30 * hourMs - 29 * minute],
  );
  expect(situation(statusOf(platformOf("bluesky", { coverage })))).toBe(
    "Listening to Bluesky. 2 gaps in 7 days, 5 h 29 min in all.",
  );
});

test("a stream that is away is told", () => {
  const away = platformOf("mastodon", { stream: streamOf({ status: "waiting" }) });
  expect(situation(statusOf(platformOf("bluesky"), away))).toMatch(
    /^Listening to Bluesky; Mastodon is not connected\./,
  );
  expect(situation(statusOf(away))).toMatch(/^Not listening: Mastodon is not connected\./);
});

test("an archive that has just begun misses nothing since", () => {
  const coverage = {
    held: [{ from: ago(hourMs), to: ago(0), source: "jetstream" }],
    gaps: [],
    complete_since: ago(hourMs),
  };
  expect(situation(statusOf(platformOf("bluesky", { coverage })))).toMatch(
    /No gap since it began on /,
  );
});

test("without a stream the platforms that are asked are told, or what is held", () => {
  expect(situation(statusOf(askedOf("x")))).toBe("Nothing is listened to; X is asked live.");
  const off = platformOf("x", { ...askedOf("x"), way: "off" });
  expect(situation(statusOf(off))).toBe("Nothing is listened to, and the archive is empty.");
});
