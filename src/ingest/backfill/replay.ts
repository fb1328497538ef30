import type { Archive, Collection, PlatformCoverage } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { FollowedWord } from "../../platforms/bluesky/collections.ts";
import type { NetworkReplay } from "./network-replay.ts";
import { replayArchive } from "./replay-archive.ts";
import { replayStream, type StreamReplay } from "./replay-stream.ts";
import { createReplayWriter, type Missing, type ReplayTally } from "./replay-writer.ts";
import { hullOf, missingOf, type Span, unionOf } from "./time-spans.ts";

export type ReplayRequest = {
  archive: Pick<Archive, "write" | "coverage">;
  clock: Clock;
  random: () => number;
  /** A stretch of time, or all time between that which is held. */
  asked: Span | "gaps";
  followed: readonly FollowedWord[];
  /** How far back the stream's servers go. */
  lookbackMs: number;
  /** Within so much of now, the live stream is at work: what follows its last word it brings itself. */
  liveSlackMs: number;
  stream: Omit<StreamReplay, "clock" | "random" | "followed" | "writer" | "onProgress">;
  /** Null where there is no token for the archive: what lies beyond the look-back then stays missing. */
  network: NetworkReplay | null;
  networkHost: string;
  onPart?: (part: { span: Span; by: "stream" | "archive" }) => void;
  onProgress?: (seen: { reachedMs: number; doneMs: number; totalMs: number } & ReplayTally) => void;
};

export type ReplaySummary = ReplayTally & {
  /** What was to be replayed: the part of the time asked for that was not held. */
  parts: readonly { span: Span; by: "stream" | "archive" }[];
  /** Of the time asked for, what was held before. */
  heldBeforeMs: number;
  /** What is still missing, of any collection. */
  missing: readonly Span[];
  /** Frames and rows that could not be read. */
  badEvents: number;
  seconds: number;
};

/** The end of the servers' look-back moves while they are read. */
const lookbackMarginMs = 30 * 60_000;

/**
 * Replays what the network did in a stretch of time as far as the archive does not hold it, through the same reader as the
 * live stream: from the stream's own servers as far as they go back, and before that from the archive of one. The ledger gets
 * the time with each batch, so an interrupted replay goes on where it was.
 *
 * Errors: `replay_needs_token` at the end, where time lies beyond the look-back and there is no token; those of either way.
 */
export async function replay(request: ReplayRequest): Promise<ReplaySummary> {
  const { archive, clock, random, onPart, onProgress } = request;
  const startedMs = clock.elapsed();
  const nowMs = clock.now();
  const followed = new Set(request.followed);
  const collections = request.followed.filter((word) => word !== "profiles");
  const before = missingIn(await archive.coverage(), collections, request, nowMs);
  const spans = unionOf(before.flatMap((missing) => missing.spans));
  const parts = partsOf(spans, nowMs - request.lookbackMs + lookbackMarginMs);
  const totalMs = lengthOf(spans);
  const writer = createReplayWriter(archive, before, random);
  let badEvents = 0;
  let doneMs = 0;
  const beyond: Span[] = [];

  for (const part of parts) {
    const { span, by } = part;
    const report = (reachedMs: number): void => {
      const partMs = Math.min(Math.max(0, reachedMs - span.fromMs), span.toMs - span.fromMs);
      onProgress?.({ reachedMs, doneMs: doneMs + partMs, totalMs, ...writer.tally() });
    };
    if (by === "archive" && request.network === null) {
      beyond.push(span);
      continue;
    }
    onPart?.(part);
    const common = { clock, followed, writer, onProgress: report };
    if (by === "stream") {
      badEvents += (await replayStream(span, { ...request.stream, ...common, random })).badFrames;
    } else if (request.network !== null) {
      const way = { ...common, network: request.network, host: request.networkHost };
      badEvents += (await replayArchive(span, way)).badRows;
    }
    doneMs += span.toMs - span.fromMs;
  }
  if (beyond.length > 0) throw needsToken(beyond);
  const after = missingIn(await archive.coverage(), collections, request, nowMs);
  const asked =
    request.asked === "gaps" ? 0 : Math.min(request.asked.toMs, nowMs) - request.asked.fromMs;
  return {
    ...writer.tally(),
    parts,
    heldBeforeMs: Math.max(0, asked - totalMs),
    missing: unionOf(after.flatMap((missing) => missing.spans)),
    badEvents,
    seconds: (clock.elapsed() - startedMs) / 1_000,
  };
}

/** What is not held of each collection: of the time asked for, or between what is held. */
function missingIn(
  held: readonly PlatformCoverage[],
  collections: readonly Collection[],
  { asked, liveSlackMs }: Pick<ReplayRequest, "asked" | "liveSlackMs">,
  nowMs: number,
): Missing[] {
  const intervals = held
    .filter(({ platform }) => platform === "bluesky")
    .flatMap((platform) => platform.intervals)
    .filter(({ source, account }) => source === "jetstream" && account === null);
  return collections.map((collection) => {
    const own = intervals.filter((interval) => interval.collection === collection);
    const all = hullOf(own);
    if (asked === "gaps") return { collection, spans: all === null ? [] : missingOf(all, own) };
    const isLive = all !== null && all.toMs > nowMs - liveSlackMs;
    const toMs = Math.min(asked.toMs, isLive ? all.toMs : nowMs);
    return { collection, spans: missingOf({ fromMs: asked.fromMs, toMs }, own) };
  });
}

/** Each span cut where the look-back of the stream's servers ends. */
function partsOf(spans: readonly Span[], reachMs: number): ReplaySummary["parts"] {
  return spans.flatMap(({ fromMs, toMs }) => {
    const cutMs = Math.min(Math.max(fromMs, reachMs), toMs);
    const early = { span: { fromMs, toMs: cutMs }, by: "archive" as const };
    const late = { span: { fromMs: cutMs, toMs }, by: "stream" as const };
    return [early, late].filter(({ span }) => span.fromMs < span.toMs);
  });
}

const lengthOf = (spans: readonly Span[]): number =>
  spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);

function needsToken(spans: readonly Span[]): EarshotError {
  const [first] = spans;
  const from = new Date(first?.fromMs ?? 0).toISOString();
  const to = new Date(spans.at(-1)?.toMs ?? 0).toISOString();
  return new EarshotError(
    "replay_needs_token",
    `what lies between ${from} and ${to} is older than the stream's servers keep, and their archive asks for a token`,
    {
      hint: "https://bsky.network/account gives one for nothing; set EARSHOT_NETWORK_REPLAY_TOKEN to it and run this again",
    },
  );
}
