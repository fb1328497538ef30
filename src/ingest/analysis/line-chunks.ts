export type LineChunk = {
  bytes: Uint8Array<ArrayBuffer>;
  lines: number;
  /** `endOffset` is exclusive. */
  startOffset: number;
  endOffset: number;
};

export type ChunkBounds = { maxLines: number; maxBytes: number; maxLineBytes: number };

/**
 * A chunk ends after `maxLines` lines or the line that reaches `maxBytes`. Stores only enough of an
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
    let at = from;
    while (!isFull(at - from)) {
      const end = piece.indexOf(lineFeed, at);
      if (end === -1) break;
      at = end + 1;
      lines += 1;
    }
    store(piece.subarray(from, at));
    offset += at - from;
    return at;
  }

  const isFull = (moreBytes: number): boolean =>
    lines >= maxLines || (lines > 0 && storedBytes + moreBytes >= maxBytes);

  function take(): LineChunk {
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

  function* chunksOf(piece: Buffer): Generator<LineChunk> {
    let at = 0;
    if (openBytes > 0) {
      const end = piece.indexOf(lineFeed);
      if (end === -1) return storeOpenLine(piece);
      at = end + 1;
      storeOpenLine(piece.subarray(0, end));
      endOpenLine();
      store(piece.subarray(end, at));
      offset += 1;
    }
    for (;;) {
      if (isFull(0)) yield take();
      const end = storeLines(piece, at);
      if (end === at) break;
      at = end;
    }
    if (at < piece.length) storeOpenLine(piece.subarray(at));
  }

  try {
    for await (const piece of pieces) yield* chunksOf(piece);
  } catch (error) {
    if (lines > 0) yield take();
    throw error;
  }
  if (openBytes > 0) endOpenLine();
  if (lines > 0) yield take();
}

const lineFeed = 10;

function concatenated(parts: readonly Uint8Array[], bytes: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
