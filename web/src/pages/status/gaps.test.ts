import { expect, test } from "vitest";
import { gapsOfCoverage, hourMs, platformOf, statusOf } from "../../status.test-support.ts";
import { gapsOf } from "./gaps.ts";

test("gaps of all platforms are told newest first, with their lengths", () => {
  const gaps = gapsOf(
    statusOf(
      platformOf("bluesky", { coverage: gapsOfCoverage([120 * hourMs, 115 * hourMs]) }),
      platformOf("mastodon", { coverage: gapsOfCoverage([30 * hourMs, 29 * hourMs]) }),
    ),
  );
  expect(gaps.map(({ platform, lengthMs }) => [platform, lengthMs / hourMs])).toEqual([
    ["mastodon", 1],
    ["bluesky", 5],
  ]);
});

test("a gap of Bluesky is filled by a replay of its time, in whole seconds around it", () => {
  const coverage = gapsOfCoverage([30 * hourMs + 1, 29 * hourMs - 1]);
  const [gap] = gapsOf(statusOf(platformOf("bluesky", { coverage })));
  expect(gap?.fill).toEqual({
    by: "backfill",
    command: "earshot backfill --replay 2026-11-20T03:59:59Z..2026-11-20T05:00:01Z",
    needsToken: false,
  });
});

test("one that is older than the servers of the stream keep needs a token", () => {
  const coverage = gapsOfCoverage([120 * hourMs, 115 * hourMs]);
  const [gap] = gapsOf(statusOf(platformOf("bluesky", { coverage })));
  expect(gap?.fill).toMatchObject({ by: "backfill", needsToken: true });
});

test("one that goes on is filled by the stream itself, as far back as its servers keep", () => {
  const [short] = gapsOf(
    statusOf(platformOf("bluesky", { coverage: gapsOfCoverage([hourMs, 0]) })),
  );
  expect([short?.isOpen, short?.fill.by]).toEqual([true, "stream"]);
  const [long] = gapsOf(
    statusOf(platformOf("bluesky", { coverage: gapsOfCoverage([40 * hourMs, 0]) })),
  );
  expect(long?.fill.by).toBe("backfill");
});

test("what Mastodon did not bring is brought by an import alone", () => {
  const coverage = gapsOfCoverage([2 * hourMs, hourMs]);
  const [gap] = gapsOf(statusOf(platformOf("mastodon", { coverage })));
  expect(gap?.fill).toEqual({ by: "import" });
});
