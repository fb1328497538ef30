import type { ImportFormat, LinesFormat } from "../import/formats/format.ts";
import {
  type AnalysedChunk,
  type AnalysedLines,
  type ChunksRequest,
  chunkBytes,
  chunkRecords,
  type PendingChunk,
} from "./analysed-chunk.ts";
import { lineChunks } from "./line-chunks.ts";
import { recordChunks } from "./record-chunks.ts";

/** Yields everything read before the source throws, then rethrows. */
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
