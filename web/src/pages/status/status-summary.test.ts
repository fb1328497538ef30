import { expect, test } from "vitest";
import {
  coverageGaps,
  hourMs,
  makeLivePlatform,
  makePlatform,
  makeStatus,
  makeStream,
  timeAgo,
} from "../../status.test-support.ts";
import { statusSummary } from "./status-summary.ts";

const minute = hourMs / 60;

test("the status summary reports that all streams are connected and there are no gaps", () => {
  expect(
    statusSummary(
      makeStatus(makePlatform("bluesky"), makePlatform("mastodon"), makeLivePlatform("x")),
    ),
  ).toBe("Listening to Bluesky and Mastodon. No gaps in 7 days.");
});

test("the status summary reports the number and total length of gaps", () => {
  const coverage = coverageGaps(
    [120 * hourMs, 115 * hourMs],
    [30 * hourMs, 30 * hourMs - 29 * minute],
  );
  expect(statusSummary(makeStatus(makePlatform("bluesky", { coverage })))).toBe(
    "Listening to Bluesky. 2 gaps in 7 days, 5 h 29 min in total.",
  );
});

test("the status summary names a disconnected stream", () => {
  const disconnectedPlatform = makePlatform("mastodon", {
    stream: makeStream({ status: "waiting" }),
  });
  expect(statusSummary(makeStatus(makePlatform("bluesky"), disconnectedPlatform))).toMatch(
    /^Listening to Bluesky; Mastodon is not connected\./,
  );
  expect(statusSummary(makeStatus(disconnectedPlatform))).toMatch(/^Mastodon is not connected\./);
});

test("the status summary reports a stream that is catching up", () => {
  const latePlatform = makePlatform("bluesky", { stream: makeStream({ lag_ms: 180_000 }) });
  expect(statusSummary(makeStatus(latePlatform))).toBe(
    "Catching up with Bluesky, 3 min behind. No gaps in 7 days.",
  );
});

test("the status summary reports that there are no gaps since a new archive began", () => {
  const coverage = {
    held: [{ from: timeAgo(hourMs), to: timeAgo(0), source: "jetstream" }],
    gaps: [],
    complete_since: timeAgo(hourMs),
  };
  expect(statusSummary(makeStatus(makePlatform("bluesky", { coverage })))).toMatch(
    /No gaps since the archive began, /,
  );
});

test("the status summary names live platforms or reports an empty archive if there is no stream", () => {
  expect(statusSummary(makeStatus(makeLivePlatform("x")))).toBe("No streams; X is searched live.");
  const disabledPlatform = makePlatform("x", { ...makeLivePlatform("x"), mode: "off" });
  expect(statusSummary(makeStatus(disabledPlatform))).toBe("No streams, and the archive is empty.");
});
