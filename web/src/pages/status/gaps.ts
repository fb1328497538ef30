import type {
  PlatformStatus,
  StatusResponse,
} from "../../../../src/http/dashboard/contract/status.ts";
import type { Platform } from "../../../../src/posts/post.ts";
import { commandText } from "../../command-text.ts";

export type Gap = {
  platform: Platform;
  from: string;
  to: string;
  lengthMs: number;
  /** Whether it reaches the present. */
  isOpen: boolean;
  fill: GapFill;
};

export type GapFill =
  | { method: "backfill"; command: string; needsToken: boolean }
  | { method: "stream" }
  | { method: "import" };

/** How long Bluesky's stream servers store events (docs/live-stream.md). */
const streamRetentionMs = 36 * 3_600_000;

/** Newest first. */
export function listGaps({ platforms, to }: Pick<StatusResponse, "platforms" | "to">): Gap[] {
  const nowMs = Date.parse(to);
  return platforms
    .flatMap((status) =>
      status.coverage.gaps.map((gap): Gap => {
        const isOpen = Date.parse(gap.to) >= nowMs;
        return {
          platform: status.platform,
          from: gap.from,
          to: gap.to,
          lengthMs: Date.parse(gap.to) - Date.parse(gap.from),
          isOpen,
          fill: makeFill(status, gap, isOpen, nowMs),
        };
      }),
    )
    .sort((a, b) => Date.parse(b.from) - Date.parse(a.from));
}

function makeFill(
  { platform, mode }: PlatformStatus,
  { from, to }: { from: string; to: string },
  isOpen: boolean,
  nowMs: number,
): GapFill {
  if (platform !== "bluesky") return { method: "import" };
  const isRetained = nowMs - Date.parse(from) < streamRetentionMs;
  if (isOpen && isRetained && mode === "streamed") return { method: "stream" };
  const span = `${wholeSeconds(from, Math.floor)}..${wholeSeconds(to, Math.ceil)}`;
  return {
    method: "backfill",
    command: commandText(`backfill --replay ${span}`),
    needsToken: !isRetained,
  };
}

function wholeSeconds(iso: string, round: (seconds: number) => number): string {
  const date = new Date(round(Date.parse(iso) / 1_000) * 1_000);
  return date.toISOString().replace(".000Z", "Z");
}
