import { expect, test } from "vitest";
import { coverageGaps, hourMs, makePlatform, makeStatus } from "../../status.test-support.ts";
import { listGaps } from "./gaps.ts";

test("gaps on all platforms are listed with their lengths, newest first", () => {
  const gaps = listGaps(
    makeStatus(
      makePlatform("bluesky", { coverage: coverageGaps([120 * hourMs, 115 * hourMs]) }),
      makePlatform("mastodon", { coverage: coverageGaps([30 * hourMs, 29 * hourMs]) }),
    ),
  );
  expect(gaps.map(({ platform, lengthMs }) => [platform, lengthMs / hourMs])).toEqual([
    ["mastodon", 1],
    ["bluesky", 5],
  ]);
});

test("a Bluesky gap is filled by a replay that covers whole seconds", () => {
  const coverage = coverageGaps([30 * hourMs + 1, 29 * hourMs - 1]);
  const [gap] = listGaps(makeStatus(makePlatform("bluesky", { coverage })));
  expect(gap?.fill).toEqual({
    method: "backfill",
    command: "npx earshot backfill --replay 2026-11-20T03:59:59Z..2026-11-20T05:00:01Z",
    needsToken: false,
  });
});

test("filling a gap that is older than the stream servers' history requires a token", () => {
  const coverage = coverageGaps([120 * hourMs, 115 * hourMs]);
  const [gap] = listGaps(makeStatus(makePlatform("bluesky", { coverage })));
  expect(gap?.fill).toMatchObject({ method: "backfill", needsToken: true });
});

test("an open gap within the stream servers' history is left to the stream", () => {
  const [short] = listGaps(
    makeStatus(makePlatform("bluesky", { coverage: coverageGaps([hourMs, 0]) })),
  );
  expect([short?.isOpen, short?.fill.method]).toEqual([true, "stream"]);
  const [long] = listGaps(
    makeStatus(makePlatform("bluesky", { coverage: coverageGaps([40 * hourMs, 0]) })),
  );
  expect(long?.fill.method).toBe("backfill");
});

test("a Mastodon gap is filled only by an import", () => {
  const coverage = coverageGaps([2 * hourMs, hourMs]);
  const [gap] = listGaps(makeStatus(makePlatform("mastodon", { coverage })));
  expect(gap?.fill).toEqual({ method: "import" });
});
