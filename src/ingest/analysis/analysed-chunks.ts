import type { ImportFormat, LinesFormat } from "../import/formats/format.ts";
import {
  type AnalysedChunk,
  type AnalysedLines,
  type ChunksRequest,
  chunkBytes,
  chunkRecords,
  type PendingChunk,
} from "./analysed-chunk.ts";
import { recordChunks } from "./record-chunks.ts";

/** Yields everything read before a source error, then rethrows it. */
export async function* analysedChunks(
  format: ImportFormat,
  request: ChunksRequest,
): AsyncGenerator<AnalysedChunk> {
  const chunks =
    "lines" in format ? analysedLines(format.lines, request) : recordChunks(format, request);
  yield* inOrder(chunks, request.analysis.parallel + 1);
}

async function* analysedLines(
  { platform }: LinesFormat["lines"],
  { source, analysis, clock, limits, onBadLine, from }: ChunksRequest,
): AsyncGenerator<PendingChunk> {
  const bounds = {
    maxLines: chunkRecords,
    maxBytes: chunkBytes,
    maxLineBytes: limits.maxLineBytes,
  };
  let lines = from.lines;
  for await (const chunk of lineChunks(source.pieces(from.bytes), from.bytes, bounds)) {
    const start = { lines, bytes: chunk.startOffset };
    const end = { lines: lines + chunk.lines, bytes: chunk.endOffset };
    lines = end.lines;
    const result = analysis.lines({
      bytes: chunk.bytes,
      isStart: start.bytes === 0,
      platform,
      limits,
      nowMs: clock.now(),
      onBadLine,
    });
    yield { chunk: result.then((analysed) => makeLineChunk(analysed, start, end)) };
  }
}

type Offset = AnalysedChunk["end"];

function makeLineChunk(
  { body, posts, rejections, counts, stoppedAt }: AnalysedLines,
  start: Offset,
  end: Offset,
): AnalysedChunk {
  const stoppedEnd = stoppedAt && {
    lines: start.lines + stoppedAt.lines,
    bytes: start.bytes + stoppedAt.bytes,
  };
  return {
    prepared: posts === 0 ? null : body,
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
  chunks: AsyncGenerator<PendingChunk>,
  max: number,
): AsyncGenerator<AnalysedChunk> {
  const pending: PendingChunk[] = [];
  let ended: { error?: unknown } | null = null;
  try {
    for (;;) {
      while (ended === null && pending.length < max) {
        try {
          const next = await chunks.next();
          if (next.done) ended = {};
          else pending.push(next.value);
          next.value?.chunk.catch(() => {});
        } catch (error) {
          ended = { error };
        }
      }
      const first = pending.shift();
      if (first === undefined) break;
      yield await first.chunk;
    }
  } finally {
    await chunks.return(undefined);
  }
  if (ended?.error !== undefined) throw ended.error;
}

export type LineChunk = {
  bytes: Uint8Array<ArrayBuffer>;
  lines: number;
  /** `endOffset` is exclusive. */
  startOffset: number;
  endOffset: number;
};

export type ChunkBounds = { maxLines: number; maxBytes: number; maxLineBytes: number };

/**
 * Ends a chunk after `maxLines` lines or the line that reaches `maxBytes`. Stores only enough of an
 * overlong line to detect it.
 */
export async function* lineChunks(
  pieces: AsyncIterable<Buffer>,
  fromOffset: number,
  { maxLines, maxBytes, maxLineBytes }: ChunkBounds,
): AsyncGenerator<LineChunk> {
  const maxStoredLineBytes = maxLineBytes + 2;
  let chunkPieces: Uint8Array[] = [];
  let storedBytes = 0;
  let lines = 0;
  let openLine: Uint8Array[] = [];
  let openBytes = 0;
  let startOffset = fromOffset;
  let offset = fromOffset;

  function store(bytes: Uint8Array): void {
    if (bytes.length > 0) chunkPieces.push(bytes);
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

  function takeLine(): LineChunk {
    const chunk = {
      bytes: concatenated(chunkPieces, storedBytes),
      lines,
      startOffset,
      endOffset: offset,
    };
    chunkPieces = [];
    storedBytes = 0;
    lines = 0;
    startOffset = offset;
    return chunk;
  }

  function* pieceChunks(piece: Buffer): Generator<LineChunk> {
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
      if (isFull(0)) yield takeLine();
      const end = storeLines(piece, position);
      if (end === position) break;
      position = end;
    }
    if (position < piece.length) storeOpenLine(piece.subarray(position));
  }

  try {
    for await (const piece of pieces) yield* pieceChunks(piece);
  } catch (error) {
    if (lines > 0) yield takeLine();
    throw error;
  }
  if (openBytes > 0) endOpenLine();
  if (lines > 0) yield takeLine();
}

const lineFeed = 10;

function concatenated(parts: readonly Uint8Array[], bytes: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(bytes);
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}
