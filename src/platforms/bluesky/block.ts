import { decode } from "@atcute/cbor";

/** Far above any record or tree node. */
const bounds = { depth: 64, items: 50_000 };

/** Throws unless the bytes are DAG-CBOR within the bounds. */
export function decodeBlock(bytes: Uint8Array): unknown {
  if (!isBoundedCbor(bytes, bounds)) throw new Error("not CBOR, or too large for a block");
  return decode(bytes);
}

/**
 * Decoders allocate a list by its claimed length, so nested lists could take quadratic memory.
 * `items` bounds the sum of all lengths.
 */
export function isBoundedCbor(bytes: Uint8Array, max: { depth: number; items: number }): boolean {
  const remainingItems: number[] = [];
  let items = 0;
  for (let position = 0; position < bytes.length; ) {
    const head = readHead(bytes, position);
    items += 1;
    if (head === null || items > max.items) return false;
    position = head.end + head.bytes;
    if (position > bytes.length || head.items > bytes.length - position) return false;
    const last = remainingItems.length - 1;
    if (last >= 0) remainingItems[last] = (remainingItems[last] ?? 0) - 1;
    if (head.items > 0) remainingItems.push(head.items);
    if (remainingItems.length > max.depth) return false;
    while (remainingItems.at(-1) === 0) remainingItems.pop();
  }
  return items > 0 && remainingItems.length === 0;
}

type Head = { bytes: number; items: number; end: number };

function readHead(bytes: Uint8Array, position: number): Head | null {
  const first = bytes[position] ?? 0;
  const width = widths[first & 31];
  // 28 to 30 are reserved; 31 means an indefinite length.
  if (width === undefined) return null;
  const end = position + 1 + width;
  if (end > bytes.length) return null;
  let length = width === 0 ? first & 31 : 0;
  for (let offset = position + 1; offset < end; offset += 1)
    length = length * 256 + (bytes[offset] ?? 0);
  const major = first >> 5;
  if (major === 2 || major === 3) return { bytes: length, items: 0, end };
  if (major === 4) return { bytes: 0, items: length, end };
  if (major === 5) return { bytes: 0, items: length * 2, end };
  return { bytes: 0, items: major === 6 ? 1 : 0, end };
}

/** Bytes in the length field, by the lower five bits of the first byte. */
const widths: readonly (number | undefined)[] = [
  ...Array.from({ length: 24 }, () => 0),
  ...[1, 2, 4, 8],
];
