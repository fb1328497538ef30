import { expect, test } from "vitest";
import { gapsOfCoverage, hourMs, platformOf, statusOf } from "../../status.test-support.ts";
import { gapsOf } from "./gaps.ts";

test("lists gaps of all platforms newest first, with their lengths", () => {
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

test("fills a Bluesky gap by a replay of whole seconds", () => {
  const coverage = gapsOfCoverage([30 * hourMs + 1, 29 * hourMs - 1]);
  const [gap] = gapsOf(statusOf(platformOf("bluesky", { coverage })));
  expect(gap?.fill).toEqual({
    by: "backfill",
    command: "npx earshot backfill --replay 2026-11-20T03:59:59Z..2026-11-20T05:00:01Z",
    needsToken: false,
  });
});

test("needs a token for a gap older than the history of the stream servers", () => {
  const coverage = gapsOfCoverage([120 * hourMs, 115 * hourMs]);
  const [gap] = gapsOf(statusOf(platformOf("bluesky", { coverage })));
  expect(gap?.fill).toMatchObject({ by: "backfill", needsToken: true });
});

test("leaves an open gap to the stream within the history of its servers", () => {
  const [short] = gapsOf(
    statusOf(platformOf("bluesky", { coverage: gapsOfCoverage([hourMs, 0]) })),
  );
  expect([short?.isOpen, short?.fill.by]).toEqual([true, "stream"]);
  const [long] = gapsOf(
    statusOf(platformOf("bluesky", { coverage: gapsOfCoverage([40 * hourMs, 0]) })),
  );
  expect(long?.fill.by).toBe("backfill");
});

test("fills a Mastodon gap only by an import", () => {
  const coverage = gapsOfCoverage([2 * hourMs, hourMs]);
  const [gap] = gapsOf(statusOf(platformOf("mastodon", { coverage })));
  expect(gap?.fill).toEqual({ by: "import" });
});
