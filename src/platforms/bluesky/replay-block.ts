export type ReplayRow = {
  /** Position among the recorded events; always increases. */
  seq: number;
  /** When the server saw the event, in Unix microseconds; never decreases. */
  witnessedUs: number;
  /** The event's time on the live stream, in Unix microseconds. */
  timeUs: number;
  kind: number;
  did: string;
  collection: string;
  rkey: string;
  rev: string;
  /** CBOR: a record, or the event as its host sent it. */
  payload: Uint8Array;
};

const headBytes = 4;
/** Bytes per event in the columns of fixed width. */
const fixedBytes = 8 + 8 + 8 + 1 + 1 + 2 + 1 + 1 + 4;

/**
 * Reads column after column, little-endian (section 3.2 of the server's docs/README.md). Throws if
 * the columns do not fill the block exactly.
 */
export function* replayRows(block: Uint8Array): Generator<ReplayRow> {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
  const count = bytes.length < headBytes ? 0 : bytes.readUInt32LE(0);
  if (count * fixedBytes > bytes.length - headBytes) throw new Error("the block is truncated");
  let end = headBytes;
  const column = (width: number): number => {
    const start = end;
    end += width * count;
    return start;
  };
  const [seqs, witnessedColumn, indexedColumn] = [column(8), column(8), column(8)];
  const [kinds, collectionLengths, didLengths] = [column(1), column(1), column(2)];
  const [rkeyLengths, revLengths, payloadLengths] = [column(1), column(1), column(4)];

  const lengthOf = {
    collection: (row: number) => bytes.readUInt8(collectionLengths + row),
    did: (row: number) => bytes.readUInt16LE(didLengths + 2 * row),
    rkey: (row: number) => bytes.readUInt8(rkeyLengths + row),
    rev: (row: number) => bytes.readUInt8(revLengths + row),
    payload: (row: number) => bytes.readUInt32LE(payloadLengths + 4 * row),
  };
  const computeStart = (length: (row: number) => number): number => {
    const start = end;
    for (let row = 0; row < count; row += 1) end += length(row);
    return start;
  };
  const offsets = {
    collection: computeStart(lengthOf.collection),
    did: computeStart(lengthOf.did),
    rkey: computeStart(lengthOf.rkey),
    rev: computeStart(lengthOf.rev),
    payload: computeStart(lengthOf.payload),
  };
  if (end !== bytes.length) throw new Error("the columns do not fill the block");

  const nextField = (name: keyof typeof offsets, row: number): Buffer => {
    const start = offsets[name];
    offsets[name] += lengthOf[name](row);
    return bytes.subarray(start, offsets[name]);
  };
  for (let row = 0; row < count; row += 1) {
    const witnessedUs = Number(bytes.readBigInt64LE(witnessedColumn + 8 * row));
    yield {
      seq: Number(bytes.readBigUInt64LE(seqs + 8 * row)),
      witnessedUs,
      timeUs: Number(bytes.readBigInt64LE(indexedColumn + 8 * row)) || witnessedUs,
      kind: bytes.readUInt8(kinds + row),
      collection: nextField("collection", row).toString("latin1"),
      did: nextField("did", row).toString("latin1"),
      rkey: nextField("rkey", row).toString("latin1"),
      rev: nextField("rev", row).toString("latin1"),
      payload: nextField("payload", row),
    };
  }
}
