import type {
  PlatformStatus,
  StatusResponse,
} from "../../../../src/http/dashboard/contract/status.ts";
import { shortTime } from "../../components/time.tsx";
import { gapsText, nothingText } from "../../coverage-text.ts";
import { lagText } from "../../numbers.ts";

/** Shown on pages with and without a session. */
export type PlatformCoverage = Pick<PlatformStatus, "platform" | "mode" | "posts" | "received"> & {
  stream: {
    status: "off" | "waiting" | "connected" | "paused";
    lag_ms: number | null;
    detail?: string;
  } | null;
  coverage: {
    held: readonly { from: string; to: string }[];
    gaps: readonly { from: string; to: string }[];
    complete_since: string | null;
  };
};
export type CoverageStatus = Pick<StatusResponse, "range" | "from" | "to"> & {
  platforms: readonly PlatformCoverage[];
};

export function streamStatusText({ mode, stream }: PlatformCoverage): string {
  if (mode === "live") return "searched live";
  if (mode === "archived") return "no stream";
  if (mode === "off" || stream === null) return "off";
  if (stream.status === "connected") {
    return stream.lag_ms === null ? "listening" : `${lagText(stream.lag_ms)} behind`;
  }
  return { waiting: "not connected", paused: "paused", off: "off" }[stream.status];
}

export function platformCoverageText({ mode, coverage, posts }: PlatformCoverage): string {
  const { gaps, held, complete_since: completeSince } = coverage;
  if (gaps.length > 0) return gapsText(gaps);
  if (completeSince !== null) return `Complete since ${shortTime(completeSince)}`;
  if (held.length > 0)
    return mode === "streamed" ? "No gaps; one server’s view" : "No gaps in the archived time";
  return nothingText(posts);
}
