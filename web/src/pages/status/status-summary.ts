import type { PlatformStatus, StatusAnswer } from "../../../../src/http/dashboard/contract.ts";
import { shortTime } from "../../components/time.tsx";
import { counted, stretchText } from "../../numbers.ts";
import { listed, platformNames } from "../../platforms.ts";
import { rangeLabel } from "../../ranges.ts";

export function situation(status: StatusAnswer): string {
  return `${heard(status.platforms)} ${missing(status)}`.trim();
}

function heard(platforms: readonly PlatformStatus[]): string {
  const streamed = platforms.filter(({ way }) => way === "streamed");
  const connected = streamed.filter(({ stream }) => stream?.status === "connected");
  const rest = streamed.filter((platform) => !connected.includes(platform));
  if (streamed.length === 0) return withoutStream(platforms);
  if (rest.length === 0) return `Listening to ${names(connected)}.`;
  if (connected.length === 0) return `Not listening: ${names(rest)} ${is(rest)} not connected.`;
  return `Listening to ${names(connected)}; ${names(rest)} ${is(rest)} not connected.`;
}

function withoutStream(platforms: readonly PlatformStatus[]): string {
  const requested = platforms.filter(({ way }) => way === "asked");
  if (requested.length > 0)
    return `No streams; ${names(requested)} ${is(requested)} searched live.`;
  const stored = platforms.filter(({ posts }) => posts > 0);
  return stored.length > 0
    ? `No streams; the archive has posts from ${names(stored)}.`
    : "No streams, and the archive is empty.";
}

function missing({ platforms, range, from }: StatusAnswer): string {
  const gaps = platforms.flatMap(({ coverage }) => coverage.gaps);
  const spans = platforms.flatMap(({ coverage }) => coverage.held);
  if (gaps.length > 0) {
    const ms = gaps.reduce((sum, gap) => sum + Date.parse(gap.to) - Date.parse(gap.from), 0);
    return `${counted(gaps.length, "gap")} in ${rangeLabel(range)}, ${stretchText(ms)} in total.`;
  }
  const [first] = spans.map((span) => span.from).sort();
  if (first === undefined) return "";
  return Date.parse(first) <= Date.parse(from)
    ? `No gaps in ${rangeLabel(range)}.`
    : `No gaps since it began on ${shortTime(first)}.`;
}

const names = (platforms: readonly PlatformStatus[]): string =>
  listed(platforms.map(({ platform }) => platformNames[platform]));

const is = ({ length }: readonly unknown[]): string => (length === 1 ? "is" : "are");
