import type { Archive } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import { createGuard } from "../../lib/guard.ts";
import { type LabelChange, readLabel } from "../../platforms/bluesky/label.ts";
import { type LabelFrame, readLabelFrame } from "../../platforms/bluesky/label-frame.ts";
import type { IngestLog } from "../ingest-log.ts";
import type { LabelerState } from "../ingest-state.ts";
import type { Frame } from "../streams/frames.ts";
import { createStreamLink } from "../streams/link.ts";
import { type StreamWriter, startStreamWriter } from "../streams/writer.ts";
import {
  isLaterFrame,
  type LabelerPosition,
  labelerUrl,
  labelsTime,
  readLabelerPosition,
} from "./labeler-position.ts";
import { type LabelerSettings, publicLabelerUrls } from "./labeler-settings.ts";

/**
 * The live labels of one labeler. Guarantees:
 *
 * - Every label of a trusted source is ingested, in order; after an interruption the stream resumes
 *   after the last written frame. Repeats are harmless: the latest label per source, subject and
 *   value counts.
 * - If a labeler no longer has that frame, or sends unreadable data, coverage has a gap.
 * - If a labeler has not reached that frame, for example after data loss, it is retried a few
 *   times; then the stream restarts with a gap.
 * - An oversized frame would repeat forever, so it is skipped in growing steps.
 * - Reading pauses while labels wait for the archive; if it cannot write, the stream waits and
 *   skips nothing.
 */
export type Labeler = {
  state(): LabelerState;
  stop(): Promise<void>;
};

export type LabelerRequest = {
  url: string;
  archive: Pick<Archive, "write" | "readCheckpoint">;
  clock: Clock;
  random: () => number;
  settings: LabelerSettings;
  log: IngestLog;
};

const triesPerPosition = 5;

export function startLabeler(request: LabelerRequest): Labeler {
  const { url: address, archive, clock, random, settings, log } = request;
  const { host, pathname } = new URL(address);
  const checkpoint = `labeler ${host}${pathname}`;
  const sources = new Set(settings.sources);
  const counts = { labels: 0, passedOver: 0, unreadable: 0, reconnects: 0 };
  let writer: StreamWriter<LabelerPosition> | null = null;
  let reachedPosition: LabelerPosition | null = null;
  let lastError: string | null = null;

  const link = createStreamLink({
    archive,
    clock,
    random,
    guard: createGuard(publicLabelerUrls.includes(address) ? [] : [address]),
    settings,
    pendingEvents: () => writer?.pendingEvents() ?? 0,
    failure: () => writer?.failure() ?? null,
    onOpen: (name) => log.info({ host: name }, "labels: connected"),
  });

  async function run(): Promise<void> {
    reachedPosition = await link.readPosition(checkpoint, readLabelerPosition);
    if (link.signal.aborted) return;
    writer = startWriter(reachedPosition);
    let failures = 0;
    let refusals = 0;
    let step = 1;
    let skippedSeq: number | null = null;
    while (!link.signal.aborted) {
      const previousSeq: number | null = reachedPosition?.seq ?? null;
      const fromSeq = skippedSeq ?? writer.position()?.seq ?? null;
      const url = labelerUrl(address, fromSeq, settings.start);
      if (fromSeq === null) writer.recordInterruption();
      lastError = null;
      const end = await link.listen(url, host, takeFrame);
      if (link.signal.aborted) return;
      counts.reconnects += 1;
      const refusal = reportedError();
      const reason = refusal ?? end.reason;
      log.info({ host, reason }, "labels: connection ended");
      const isNewer = (reachedPosition?.seq ?? null) !== previousSeq;
      if (isNewer) step = 1;
      skippedSeq = null;
      if (end.frameTooLarge && !isNewer && previousSeq !== null) {
        skippedSeq = previousSeq + step;
        step *= 2;
        writer.recordInterruption();
        log.warn({ host, seq: skippedSeq }, "labels: skipped an oversized frame");
      }
      refusals = refusal?.startsWith("FutureCursor") === true ? refusals + 1 : 0;
      if (refusals === triesPerPosition) {
        refusals = 0;
        await restart();
      }
      failures = isNewer ? 0 : failures + 1;
      await link.wait(host, reason, failures);
    }
  }

  const reportedError = (): string | null => lastError;

  async function restart(): Promise<void> {
    log.warn(
      { host, seq: reachedPosition?.seq },
      "labels: the labeler no longer has the position; the coverage has a gap",
    );
    await writer?.stop();
    reachedPosition = null;
    writer = startWriter(null);
  }

  const startWriter = (savedPosition: LabelerPosition | null): StreamWriter<LabelerPosition> =>
    startStreamWriter<LabelerPosition>({
      ...settings,
      archive,
      clock,
      random,
      checkpoint,
      coverage: { platform: "bluesky", source: `labeler ${host}`, collections: ["labels"] },
      savedState:
        savedPosition === null
          ? null
          : { position: savedPosition, timeUs: savedPosition.timeMs * 1000 },
      isLater: isLaterFrame,
      onWritten: link.resumeIfDrained,
      onFailure: (reason) => log.warn({ reason }, "labels: the archive rejected a batch"),
    });

  function takeFrame({ data, isBinary }: Frame): void {
    const frame: LabelFrame = isBinary
      ? readLabelFrame(data, settings)
      : { kind: "unreadable", reason: "a text frame" };
    if (frame.kind === "labels") takeLabels(frame.seq, frame.labels);
    if (frame.kind === "error") lastError = `${frame.name}: ${frame.message}`;
    if (frame.kind === "info" && frame.name === "OutdatedCursor") writer?.recordInterruption();
    if (frame.kind !== "unreadable") return;
    counts.unreadable += 1;
    writer?.recordInterruption();
  }

  function takeLabels(seq: number, values: readonly unknown[]): void {
    const changes: LabelChange[] = [];
    const frameLabels: LabelChange[] = [];
    for (const value of values) {
      const label = readLabel(value, clock.now());
      if (label === "unreadable") counts.unreadable += 1;
      if (label === "unsupported") counts.passedOver += 1;
      if (typeof label === "string") continue;
      frameLabels.push(label);
      if (sources.has(label.source)) changes.push(label);
      else counts.passedOver += 1;
    }
    counts.labels += changes.length;
    const timeMs = Math.max(reachedPosition?.timeMs ?? 0, labelsTime(frameLabels) ?? 0);
    const position = { seq, timeMs: timeMs || clock.now() };
    if (reachedPosition === null || isLaterFrame(position, reachedPosition))
      reachedPosition = position;
    writer?.add({ timeUs: position.timeMs * 1000, changes, countIncrements: [] }, position);
    link.pauseIfFull();
  }

  const finished = run();
  return {
    state: () => ({ ...link.status(), host, ...counts }),
    stop: async () => {
      link.stop();
      await finished;
      await writer?.stop();
    },
  };
}
