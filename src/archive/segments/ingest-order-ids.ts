const bitsPerByte = 7n;
const moreBytes = 0x80;

export function packIds(low: bigint, ids: readonly bigint[]): Uint8Array {
  const bytes: number[] = [];
  let last = low;
  for (const id of ids) {
    let gap = id - last;
    while (gap >= moreBytes) {
      bytes.push(Number(gap & 0x7fn) | moreBytes);
      gap >>= bitsPerByte;
    }
    bytes.push(Number(gap));
    last = id;
  }
  return Uint8Array.from(bytes);
}

export function unpackIds(low: bigint, packed: Uint8Array): bigint[] {
  const ids: bigint[] = [];
  let last = low;
  let above = 0n;
  let shift = 0n;
  for (const byte of packed) {
    above |= BigInt(byte & 0x7f) << shift;
    shift += bitsPerByte;
    if (byte >= moreBytes) continue;
    last += above;
    ids.push(last);
    above = 0n;
    shift = 0n;
  }
  return ids;
}
