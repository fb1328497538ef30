/** Some lines of a file, one after the other with their ends; the last line of the file may have none. */
export type LineChunk = {
  /** In a buffer of their own. A line that is too long may be cut behind its first bytes. */
  bytes: Uint8Array<ArrayBuffer>;
  lines: number;
  /** Of the file: where the chunk begins, and where the next one does. */
  startOffset: number;
  endOffset: number;
};

export type ChunkBounds = { maxLines: number; maxBytes: number; maxLineBytes: number };

/**
 * Cuts a file into chunks of whole lines, of at most `maxLines`; one that has reached `maxBytes` ends with its line. Of a line
 * that is too long no more is held than shows that it is. When `pieces` throws, the lines that had ended are a last chunk.
 */
export async function* lineChunks(
  pieces: AsyncIterable<Buffer>,
  fromOffset: number,
  { maxLines, maxBytes, maxLineBytes }: ChunkBounds,
): AsyncGenerator<LineChunk> {
  /** The longest line has a carriage return behind it: with one byte more a line is too long. */
  const mostOfLine = maxLineBytes + 2;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let lines = 0;
  /** The line that has not ended yet: what is held of it, and its bytes in the file. */
  let open: Uint8Array[] = [];
  let openBytes = 0;
  let startOffset = fromOffset;
  let offset = fromOffset;

  function hold(bytes: Uint8Array): void {
    if (bytes.length > 0) held.push(bytes);
    heldBytes += bytes.length;
  }

  function holdOpen(bytes: Uint8Array): void {
    const room = mostOfLine - openBytes;
    if (room > 0) open.push(bytes.subarray(0, room));
    openBytes += bytes.length;
  }

  function endOpen(): void {
    for (const part of open) hold(part);
    open = [];
    offset += openBytes;
    openBytes = 0;
    lines += 1;
  }

  /** Holds the lines that begin and end in the piece, from an index on, and returns where it stopped. */
  function holdLines(piece: Buffer, from: number): number {
    let at = from;
    while (!isFull(at - from)) {
      const end = piece.indexOf(lineFeed, at);
      if (end === -1) break;
      at = end + 1;
      lines += 1;
    }
    hold(piece.subarray(from, at));
    offset += at - from;
    return at;
  }

  const isFull = (moreBytes: number): boolean =>
    lines >= maxLines || (lines > 0 && heldBytes + moreBytes >= maxBytes);

  function take(): LineChunk {
    const chunk = { bytes: joined(held, heldBytes), lines, startOffset, endOffset: offset };
    held = [];
    heldBytes = 0;
    lines = 0;
    startOffset = offset;
    return chunk;
  }

  function* chunksOf(piece: Buffer): Generator<LineChunk> {
    let at = 0;
    if (openBytes > 0) {
      const end = piece.indexOf(lineFeed);
      if (end === -1) return holdOpen(piece);
      at = end + 1;
      holdOpen(piece.subarray(0, end));
      endOpen();
      hold(piece.subarray(end, at));
      offset += 1;
    }
    for (;;) {
      if (isFull(0)) yield take();
      const end = holdLines(piece, at);
      if (end === at) break;
      at = end;
    }
    if (at < piece.length) holdOpen(piece.subarray(at));
  }

  try {
    for await (const piece of pieces) yield* chunksOf(piece);
  } catch (error) {
    if (lines > 0) yield take();
    throw error;
  }
  if (openBytes > 0) endOpen();
  if (lines > 0) yield take();
}

const lineFeed = 10;

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
