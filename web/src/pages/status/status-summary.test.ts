import { expect, test } from "vitest";
import {
  ago,
  gapsOfCoverage,
  hourMs,
  livePlatformOf,
  platformOf,
  statusOf,
  streamOf,
} from "../../status.test-support.ts";
import { statusSummary } from "./status-summary.ts";

const minute = hourMs / 60;

test("the status summary reports all streams connected and no gaps", () => {
  expect(
    statusSummary(statusOf(platformOf("bluesky"), platformOf("mastodon"), livePlatformOf("x"))),
  ).toBe("Listening to Bluesky and Mastodon. No gaps in 7 days.");
});

test("the status summary reports the number and total length of gaps", () => {
  const coverage = gapsOfCoverage(
    [120 * hourMs, 115 * hourMs],
    [30 * hourMs, 30 * hourMs - 29 * minute],
  );
  expect(statusSummary(statusOf(platformOf("bluesky", { coverage })))).toBe(
    "Listening to Bluesky. 2 gaps in 7 days, 5 h 29 min in total.",
  );
});

test("the status summary names a disconnected stream", () => {
  const away = platformOf("mastodon", { stream: streamOf({ status: "waiting" }) });
  expect(statusSummary(statusOf(platformOf("bluesky"), away))).toMatch(
    /^Listening to Bluesky; Mastodon is not connected\./,
  );
  expect(statusSummary(statusOf(away))).toMatch(/^Mastodon is not connected\./);
});

test("the status summary reports a stream that is catching up", () => {
  const late = platformOf("bluesky", { stream: streamOf({ lag_ms: 180_000 }) });
  expect(statusSummary(statusOf(late))).toBe(
    "Catching up with Bluesky, 3 min behind. No gaps in 7 days.",
  );
});

test("the status summary reports no gaps since a new archive began", () => {
  const coverage = {
    held: [{ from: ago(hourMs), to: ago(0), source: "jetstream" }],
    gaps: [],
    complete_since: ago(hourMs),
  };
  expect(statusSummary(statusOf(platformOf("bluesky", { coverage })))).toMatch(
    /No gaps since the archive began, /,
  );
});

test("the status summary names live platforms or archived posts when there is no stream", () => {
  expect(statusSummary(statusOf(livePlatformOf("x")))).toBe("No streams; X is searched live.");
  const off = platformOf("x", { ...livePlatformOf("x"), mode: "off" });
  expect(statusSummary(statusOf(off))).toBe("No streams, and the archive is empty.");
});
