import type { Archive, Collection, PlatformCoverage } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import { isoTime } from "../../lib/iso-time.ts";
import { type BoundedSpan, spanHull, subtractSpans, unionSpans } from "../../lib/spans.ts";
import type { StreamCollection } from "../../platforms/bluesky/collections.ts";
import type { NetworkReplay } from "./network-replay.ts";
import { replayArchive } from "./replay-archive.ts";
import { replayStream, type StreamReplay } from "./replay-stream.ts";
import { createReplayWriter, type MissingCoverage, type ReplayTally } from "./replay-writer.ts";

export type ReplayRequest = {
  archive: Pick<Archive, "write" | "coverage">;
  clock: Clock;
  random: () => number;
  span: BoundedSpan | "gaps";
  followed: readonly StreamCollection[];
  lookbackMs: number;
  liveSlackMs: number;
  stream: Omit<StreamReplay, "clock" | "random" | "followed" | "writer" | "onProgress">;
  network: NetworkReplay | null;
  networkHost: string;
  onPart?: (part: { span: BoundedSpan; by: "stream" | "archive" }) => void;
  onProgress?: (
    progress: { reachedMs: number; doneMs: number; totalMs: number } & ReplayTally,
  ) => void;
};

export type ReplaySummary = ReplayTally & {
  parts: readonly { span: BoundedSpan; by: "stream" | "archive" }[];
  alreadyCoveredMs: number;
  missing: readonly BoundedSpan[];
  badEvents: number;
  seconds: number;
};

const lookbackMarginMs = 30 * 60_000;

/**
 * Replays events within the lookback from the stream servers, and earlier ones from a server's
 * archive. Resumes an interrupted replay. Errors: `replay_needs_token`, at the end, if earlier
 * events require a token; those of `replayStream` and `replayArchive`.
 */
export async function replay(request: ReplayRequest): Promise<ReplaySummary> {
  const { archive, clock, random, onPart, onProgress } = request;
  const startedMs = clock.elapsed();
  const nowMs = clock.now();
  const followed = new Set(request.followed);
  const collections = request.followed.filter((word) => word !== "profiles");
  const missingBefore = findMissingCoverage(await archive.coverage(), collections, request, nowMs);
  const spans = unionSpans(missingBefore.flatMap((missing) => missing.spans));
  const parts = listParts(spans, nowMs - request.lookbackMs + lookbackMarginMs);
  const totalMs = totalLength(spans);
  const writer = createReplayWriter(archive, missingBefore, random);
  let badEvents = 0;
  let doneMs = 0;
  const unreachableSpans: BoundedSpan[] = [];

  for (const part of parts) {
    const { span, by } = part;
    const report = (reachedMs: number): void => {
      const partMs = Math.min(Math.max(0, reachedMs - span.fromMs), span.toMs - span.fromMs);
      onProgress?.({ reachedMs, doneMs: doneMs + partMs, totalMs, ...writer.tally() });
    };
    if (by === "archive" && request.network === null) {
      unreachableSpans.push(span);
      continue;
    }
    onPart?.(part);
    const commonOptions = { clock, followed, writer, onProgress: report };
    if (by === "stream") {
      badEvents += (await replayStream(span, { ...request.stream, ...commonOptions, random }))
        .badFrames;
    } else if (request.network !== null) {
      const options = { ...commonOptions, network: request.network, host: request.networkHost };
      badEvents += (await replayArchive(span, options)).badRows;
    }
    doneMs += span.toMs - span.fromMs;
  }
  if (unreachableSpans.length > 0) throw needsToken(unreachableSpans);
  const missingAfter = findMissingCoverage(await archive.coverage(), collections, request, nowMs);
  const requestedMs =
    request.span === "gaps" ? 0 : Math.min(request.span.toMs, nowMs) - request.span.fromMs;
  return {
    ...writer.tally(),
    parts,
    alreadyCoveredMs: Math.max(0, requestedMs - totalMs),
    missing: unionSpans(missingAfter.flatMap((missing) => missing.spans)),
    badEvents,
    seconds: (clock.elapsed() - startedMs) / 1_000,
  };
}

function findMissingCoverage(
  platformCoverage: readonly PlatformCoverage[],
  collections: readonly Collection[],
  { span, liveSlackMs }: Pick<ReplayRequest, "span" | "liveSlackMs">,
  nowMs: number,
): MissingCoverage[] {
  const intervals = platformCoverage
    .filter(({ platform }) => platform === "bluesky")
    .flatMap((platform) => platform.intervals)
    .filter(({ source, account }) => source === "jetstream" && account === null);
  return collections.map((collection) => {
    const collectionIntervals = intervals.filter((interval) => interval.collection === collection);
    const hull = spanHull(collectionIntervals);
    if (span === "gaps")
      return { collection, spans: hull === null ? [] : subtractSpans(hull, collectionIntervals) };
    const isLive = hull !== null && hull.toMs > nowMs - liveSlackMs;
    const toMs = Math.min(span.toMs, isLive ? hull.toMs : nowMs);
    return { collection, spans: subtractSpans({ fromMs: span.fromMs, toMs }, collectionIntervals) };
  });
}

function listParts(spans: readonly BoundedSpan[], streamStartMs: number): ReplaySummary["parts"] {
  return spans.flatMap(({ fromMs, toMs }) => {
    const cutMs = Math.min(Math.max(fromMs, streamStartMs), toMs);
    const archivePart = { span: { fromMs, toMs: cutMs }, by: "archive" as const };
    const streamPart = { span: { fromMs: cutMs, toMs }, by: "stream" as const };
    return [archivePart, streamPart].filter(({ span }) => span.fromMs < span.toMs);
  });
}

const totalLength = (spans: readonly BoundedSpan[]): number =>
  spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);

function needsToken(spans: readonly BoundedSpan[]): EarshotError {
  const [first] = spans;
  const from = isoTime(first?.fromMs ?? 0);
  const to = isoTime(spans.at(-1)?.toMs ?? 0);
  return new EarshotError(
    "replay_needs_token",
    `events from ${from} to ${to} are older than the lookback of the Jetstream servers, and the network archive requires a token`,
    {
      hint: "get a free token at https://bsky.network/account, set EARSHOT_NETWORK_REPLAY_TOKEN, and retry",
    },
  );
}
