import type { Clock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import { startSlices } from "../../lib/slices.ts";
import type { BoundedSpan } from "../../lib/spans.ts";
import { collectionNsid, type StreamCollection } from "../../platforms/bluesky/collections.ts";
import { type ReplayRow, replayRows } from "../../platforms/bluesky/replay-block.ts";
import { replayFrame } from "../../platforms/bluesky/replay-frame.ts";
import { readStreamEvent } from "../../platforms/bluesky/stream-event.ts";
import { type NetworkReplay, unreadableReplay } from "./network-replay.ts";
import type { ReplayWriter } from "./replay-writer.ts";

export type ArchiveReplay = {
  clock: Clock;
  network: NetworkReplay;
  host: string;
  followed: ReadonlySet<StreamCollection>;
  writer: ReplayWriter;
  onProgress: (reachedMs: number) => void;
};

export async function replayArchive(
  span: BoundedSpan,
  { clock, network, host, followed, writer, onProgress }: ArchiveReplay,
): Promise<{ badRows: number }> {
  const archiveSpan = await network.archiveSpan();
  const fromMs = Math.max(span.fromMs, archiveSpan?.fromMs ?? span.toMs);
  const toMs = Math.min(span.toMs, archiveSpan?.toMs ?? span.toMs);
  if (fromMs >= toMs) return { badRows: 0 };
  const collections = [...followed].map(collectionNsid);
  const collectionSet = new Set(collections);
  const yieldIfDue = startSlices(clock);
  let badRows = 0;
  writer.begin(fromMs, 0);

  const handleRow = (row: ReplayRow, atMs: number): Promise<void> | undefined => {
    if (row.collection !== "" && !collectionSet.has(row.collection)) return undefined;
    const event = readEvent(row);
    if (event !== null && !("reason" in event)) return writer.add(atMs, event);
    if (event !== null) badRows += 1;
    return undefined;
  };

  const readEvent = (row: ReplayRow) => {
    try {
      const frame = replayFrame(row);
      return frame === null ? null : readStreamEvent(frame, followed);
    } catch (error) {
      return { reason: errorMessage(error) };
    }
  };

  const decodeRows = (block: Uint8Array): readonly ReplayRow[] => {
    try {
      return [...replayRows(block)];
    } catch (error) {
      throw unreadableReplay(host, errorMessage(error));
    }
  };

  for await (const block of network.blocks({ fromMs, toMs }, collections)) {
    let reachedMs = fromMs;
    for (const row of decodeRows(block)) {
      const atMs = Math.floor(row.witnessedUs / 1_000);
      reachedMs = Math.max(reachedMs, Math.min(atMs, toMs));
      if (atMs < fromMs || atMs >= toMs) continue;
      await handleRow(row, atMs);
      await yieldIfDue();
    }
    await writer.flush(reachedMs);
    onProgress(reachedMs);
  }
  await writer.end(toMs);
  onProgress(toMs);
  return { badRows };
}
