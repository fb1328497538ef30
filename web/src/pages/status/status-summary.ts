import { shortTime } from "../../components/time.tsx";
import { lagThresholdMs } from "../../listening-text.ts";
import { lagText, quantityText, spanDurationText } from "../../numbers.ts";
import { listText, platformNames } from "../../platforms.ts";
import { rangeLabel } from "../../ranges.ts";
import type { CoverageStatus, PlatformCoverage } from "./coverage-summary.ts";

/** Agrees with the light in the sidebar. */
export function statusSummary(status: CoverageStatus): string {
  return `${streamsSentence(status.platforms)} ${gapsSentence(status)}`.trim();
}

function streamsSentence(platforms: readonly PlatformCoverage[]): string {
  const streams = platforms.filter(
    ({ mode, stream }) => mode === "streamed" && stream !== null && stream.status !== "off",
  );
  if (streams.length === 0) return withoutStream(platforms);
  const connectedStreams = streams.filter(({ stream }) => stream?.status === "connected");
  const laggingStreams = connectedStreams.filter(
    ({ stream }) => (stream?.lag_ms ?? 0) > lagThresholdMs,
  );
  const currentStreams = connectedStreams.filter((platform) => !laggingStreams.includes(platform));
  const parts = [
    ...(currentStreams.length > 0 ? [`listening to ${names(currentStreams)}`] : []),
    ...laggingStreams.map(
      ({ platform, stream }) =>
        `catching up with ${platformNames[platform]}, ${lagText(stream?.lag_ms ?? 0)} behind`,
    ),
    ...streams
      .filter((platform) => !connectedStreams.includes(platform))
      .map(
        ({ platform, stream }) =>
          `${platformNames[platform]} is ${stream?.status === "paused" ? "paused" : "not connected"}`,
      ),
  ];
  const sentence = parts.join("; ");
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

function withoutStream(platforms: readonly PlatformCoverage[]): string {
  const livePlatforms = platforms.filter(({ mode }) => mode === "live");
  if (livePlatforms.length > 0)
    return `No streams; ${names(livePlatforms)} ${isOrAre(livePlatforms)} searched live.`;
  const archivedPlatforms = platforms.filter(({ posts }) => posts > 0);
  return archivedPlatforms.length > 0
    ? `No streams; the archive has posts from ${names(archivedPlatforms)}.`
    : "No streams, and the archive is empty.";
}

function gapsSentence({ platforms, range, from, to }: CoverageStatus): string {
  const gaps = platforms.flatMap(({ coverage }) => coverage.gaps);
  const spans = platforms.flatMap(({ coverage }) => coverage.held);
  if (gaps.length > 0) {
    const ms = gaps.reduce((sum, gap) => sum + Date.parse(gap.to) - Date.parse(gap.from), 0);
    return `${quantityText(gaps.length, "gap")} in ${rangeLabel(range)}, ${spanDurationText(ms)} in total.`;
  }
  const [first] = spans.map((span) => span.from).sort();
  if (first === undefined) return "";
  return Date.parse(first) <= Date.parse(from)
    ? `No gaps in ${rangeLabel(range)}.`
    : `No gaps since the archive began, ${shortTime(first, Date.parse(to))}.`;
}

const names = (platforms: readonly PlatformCoverage[]): string =>
  listText(platforms.map(({ platform }) => platformNames[platform]));

const isOrAre = ({ length }: readonly unknown[]): string => (length === 1 ? "is" : "are");
