import type { PlatformStatus, StatusAnswer } from "../../../../src/http/dashboard/contract.ts";
import { exactTime, shortTime } from "../../components/time.tsx";
import { exactSpan, gapsText, nothingText } from "../../coverage-text.ts";
import { behindText, counted } from "../../numbers.ts";
import { platformNames } from "../../platforms.ts";

/** What pages with and without a session show. */
export type PlatformCoverage = Pick<PlatformStatus, "platform" | "way" | "posts" | "heard"> & {
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
export type CoverageStatus = Pick<StatusAnswer, "range" | "from" | "to"> & {
  platforms: readonly PlatformCoverage[];
};

export function methodText({ way, stream }: PlatformCoverage): string {
  if (way === "live") return "searched live";
  if (way === "archived") return "no stream";
  if (way === "off" || stream === null) return "off";
  if (stream.status === "connected") {
    return stream.lag_ms === null ? "listening" : `${behindText(stream.lag_ms)} behind`;
  }
  return { waiting: "not connected", paused: "paused", off: "off" }[stream.status];
}

export function findingText({ way, coverage, posts }: PlatformCoverage): string {
  const { gaps, held, complete_since: completeSince } = coverage;
  if (gaps.length > 0) return gapsText(gaps);
  if (completeSince !== null) return `Complete since ${shortTime(completeSince)}`;
  if (held.length > 0)
    return way === "streamed" ? "No gaps; one server’s view" : "No gaps in the archived time";
  return nothingText(posts);
}

/** Text alternative of the trace. */
export function traceLabel(status: PlatformCoverage, span: string): string {
  const name = platformNames[status.platform];
  const { gaps, held } = status.coverage;
  if (held.length === 0 && gaps.length === 0) return `${name}: nothing archived in ${span}`;
  if (gaps.length === 0) {
    const from = held[0]?.from;
    return `${name}: no gaps in ${span}${from === undefined ? "" : `, archived from ${exactTime(from)}`}`;
  }
  const reported = gaps.slice(0, 5).map(exactSpan);
  const more = gaps.length > reported.length ? `, and ${gaps.length - reported.length} more` : "";
  return `${name}: ${counted(gaps.length, "gap")} in ${span}, ${reported.join(", ")}${more}`;
}
