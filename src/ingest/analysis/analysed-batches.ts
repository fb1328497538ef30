import type { ImportFormat, LinesFormat } from "../import/formats/format.ts";
import {
  type AnalysedBatch,
  type AnalysedLines,
  type BatchesRequest,
  maxBatchBytes,
  maxBatchRecords,
  type PendingBatch,
} from "./analysed-batch.ts";
import { recordBatches } from "./record-batches.ts";

/** Analysed while the writer seals a full segment. */
const minPendingBatches = 12;

/** Yields everything read before a source error, then rethrows it. */
export async function* analysedBatches(
  format: ImportFormat,
  request: BatchesRequest,
): AsyncGenerator<AnalysedBatch> {
  const batches =
    "lines" in format ? analysedLines(format.lines, request) : recordBatches(format, request);
  yield* inOrder(batches, Math.max(minPendingBatches, request.analysis.maxConcurrency + 1));
}

async function* analysedLines(
  { platform }: LinesFormat["lines"],
  { source, analysis, clock, limits, onBadLine, from }: BatchesRequest,
): AsyncGenerator<PendingBatch> {
  const bounds = {
    maxLines: maxBatchRecords,
    maxBytes: maxBatchBytes,
    maxLineBytes: limits.maxLineBytes,
  };
  let lines = from.lines;
  for await (const batch of lineBatches(source.pieces(from.bytes), from.bytes, bounds)) {
    const start = { lines, bytes: batch.startOffset };
    const end = { lines: lines + batch.lines, bytes: batch.endOffset };
    lines = end.lines;
    const result = analysis.lines({
      bytes: batch.bytes,
      isStart: start.bytes === 0,
      platform,
      limits,
      nowMs: clock.now(),
      onBadLine,
    });
    yield { batch: result.then((analysed) => makeLineBatch(analysed, start, end)) };
  }
}

type Offset = AnalysedBatch["end"];

function makeLineBatch(
  { body, posts, rejections, counts, stoppedAt }: AnalysedLines,
  start: Offset,
  end: Offset,
): AnalysedBatch {
  const stoppedEnd = stoppedAt && {
    lines: start.lines + stoppedAt.lines,
    bytes: start.bytes + stoppedAt.bytes,
  };
  return {
    packedPosts: posts === 0 ? null : body,
    posts,
    rejections: rejections.map((rejection) => ({
      ...rejection,
      line: start.lines + rejection.line,
    })),
    head: null,
    counts,
    end: stoppedEnd ?? end,
    isStopped: stoppedEnd !== null,
  };
}

async function* inOrder(
  batches: AsyncGenerator<PendingBatch>,
  maxPending: number,
): AsyncGenerator<AnalysedBatch> {
  const pendingBatches: PendingBatch[] = [];
  let ending: { error?: unknown } | null = null;
  try {
    for (;;) {
      while (ending === null && pendingBatches.length < maxPending) {
        try {
          const next = await batches.next();
          if (next.done) ending = {};
          else pendingBatches.push(next.value);
          next.value?.batch.catch(() => {});
        } catch (error) {
          ending = { error };
        }
      }
      const first = pendingBatches.shift();
      if (first === undefined) break;
      yield await first.batch;
    }
  } finally {
    await batches.return(undefined);
  }
  if (ending?.error !== undefined) throw ending.error;
}

export type LineBatch = {
  bytes: Uint8Array<ArrayBuffer>;
  lines: number;
  /** `endOffset` is exclusive. */
  startOffset: number;
  endOffset: number;
};

export type BatchBounds = { maxLines: number; maxBytes: number; maxLineBytes: number };

/**
 * Ends a batch after `maxLines` lines or the line that reaches `maxBytes`. Stores only enough of an
 * overlong line to detect it.
 */
export async function* lineBatches(
  pieces: AsyncIterable<Buffer>,
  fromOffset: number,
  { maxLines, maxBytes, maxLineBytes }: BatchBounds,
): AsyncGenerator<LineBatch> {
  const maxStoredLineBytes = maxLineBytes + 2;
  let batchPieces: Uint8Array[] = [];
  let storedBytes = 0;
  let lines = 0;
  let openLine: Uint8Array[] = [];
  let openBytes = 0;
  let startOffset = fromOffset;
  let offset = fromOffset;

  function store(bytes: Uint8Array): void {
    if (bytes.length > 0) batchPieces.push(bytes);
    storedBytes += bytes.length;
  }

  function storeOpenLine(bytes: Uint8Array): void {
    const room = maxStoredLineBytes - openBytes;
    if (room > 0) openLine.push(bytes.subarray(0, room));
    openBytes += bytes.length;
  }

  function endOpenLine(): void {
    for (const part of openLine) store(part);
    openLine = [];
    offset += openBytes;
    openBytes = 0;
    lines += 1;
  }

  /** The offset in the piece after the stored lines. */
  function storeLines(piece: Buffer, from: number): number {
    let position = from;
    while (!isFull(position - from)) {
      const end = piece.indexOf(lineFeed, position);
      if (end === -1) break;
      position = end + 1;
      lines += 1;
    }
    store(piece.subarray(from, position));
    offset += position - from;
    return position;
  }

  const isFull = (moreBytes: number): boolean =>
    lines >= maxLines || (lines > 0 && storedBytes + moreBytes >= maxBytes);

  function takeBatch(): LineBatch {
    const batch = {
      bytes: concatenated(batchPieces, storedBytes),
      lines,
      startOffset,
      endOffset: offset,
    };
    batchPieces = [];
    storedBytes = 0;
    lines = 0;
    startOffset = offset;
    return batch;
  }

  function* pieceBatches(piece: Buffer): Generator<LineBatch> {
    let position = 0;
    if (openBytes > 0) {
      const end = piece.indexOf(lineFeed);
      if (end === -1) return storeOpenLine(piece);
      position = end + 1;
      storeOpenLine(piece.subarray(0, end));
      endOpenLine();
      store(piece.subarray(end, position));
      offset += 1;
    }
    for (;;) {
      if (isFull(0)) yield takeBatch();
      const end = storeLines(piece, position);
      if (end === position) break;
      position = end;
    }
    if (position < piece.length) storeOpenLine(piece.subarray(position));
  }

  try {
    for await (const piece of pieces) yield* pieceBatches(piece);
  } catch (error) {
    if (lines > 0) yield takeBatch();
    throw error;
  }
  if (openBytes > 0) endOpenLine();
  if (lines > 0) yield takeBatch();
}

const lineFeed = 10;

function concatenated(parts: readonly Uint8Array[], bytes: number): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(bytes);
  let offset = 0;
  for (const part of parts) {
    result.set(part, offset);
    offset += part.length;
  }
  return result;
}
