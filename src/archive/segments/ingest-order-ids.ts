const bitsPerByte = 7n;
const moreFlag = 0x80;

export function packIds(low: bigint, ids: readonly bigint[]): Uint8Array {
  const bytes: number[] = [];
  let last = low;
  for (const id of ids) {
    let gap = id - last;
    while (gap >= moreFlag) {
      bytes.push(Number(gap & 0x7fn) | moreFlag);
      gap >>= bitsPerByte;
    }
    bytes.push(Number(gap));
    last = id;
  }
  return Uint8Array.from(bytes);
}

export function unpackIds(low: bigint, packedIds: Uint8Array): bigint[] {
  const ids: bigint[] = [];
  let last = low;
  let gap = 0n;
  let shift = 0n;
  for (const byte of packedIds) {
    gap |= BigInt(byte & 0x7f) << shift;
    shift += bitsPerByte;
    if (byte >= moreFlag) continue;
    last += gap;
    ids.push(last);
    gap = 0n;
    shift = 0n;
  }
  return ids;
}
