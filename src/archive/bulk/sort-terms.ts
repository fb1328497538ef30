const keyBytes = 5;
const numberBits = 24;

const maxInsertionSort = 24;

export const maxSortedTerms = 2 ** numberBits;

/**
 * Returns term numbers in byte order. Terms must be distinct, without zero bytes. A radix sort on
 * keys of a few bytes is several times as fast as comparing terms.
 */
export function sortTerms(bytes: Uint8Array, starts: Uint32Array, count: number): Uint32Array {
  const sorted = Uint32Array.from({ length: count }, (_, number) => number);
  const words = new Uint32Array(count * 2);
  const keys = new BigUint64Array(words.buffer);
  const runs = [{ from: 0, to: count, depth: 0 }];
  for (let run = runs.pop(); run !== undefined; run = runs.pop()) {
    const { from, to, depth } = run;
    if (to - from <= maxInsertionSort) {
      insertionSort(from, to, depth);
      continue;
    }
    for (let index = from; index < to; index += 1) putKey(index, sorted[index] as number, depth);
    keys.subarray(from, to).sort();
    let start = from;
    for (let index = from; index < to; index += 1) {
      sorted[index] = (words[index * 2] as number) & (maxSortedTerms - 1);
      if (index > start && !sharesKey(index, start)) {
        if (index - start > 1) runs.push({ from: start, to: index, depth: depth + keyBytes });
        start = index;
      }
    }
    if (to - start > 1) runs.push({ from: start, to, depth: depth + keyBytes });
  }
  return sorted;

  function putKey(index: number, number: number, depth: number): void {
    const position = (starts[number] as number) + depth;
    const end = starts[number + 1] as number;
    const byte = (offset: number): number =>
      position + offset < end ? (bytes[position + offset] as number) : 0;
    words[index * 2 + 1] = byte(0) * 0x100_0000 + (byte(1) << 16) + (byte(2) << 8) + byte(3);
    words[index * 2] = byte(4) * maxSortedTerms + number;
  }

  function insertionSort(from: number, to: number, depth: number): void {
    for (let index = from + 1; index < to; index += 1) {
      const number = sorted[index] as number;
      let offset = index;
      for (; offset > from && isBelow(number, sorted[offset - 1] as number, depth); offset -= 1) {
        sorted[offset] = sorted[offset - 1] as number;
      }
      sorted[offset] = number;
    }
  }

  function isBelow(number: number, other: number, depth: number): boolean {
    let offset = (starts[number] as number) + depth;
    let otherAt = (starts[other] as number) + depth;
    const [end, otherEnd] = [starts[number + 1] as number, starts[other + 1] as number];
    while (offset < end && otherAt < otherEnd && bytes[offset] === bytes[otherAt]) {
      offset += 1;
      otherAt += 1;
    }
    if (offset === end || otherAt === otherEnd) return offset === end;
    return (bytes[offset] as number) < (bytes[otherAt] as number);
  }

  function sharesKey(index: number, other: number): boolean {
    return (
      words[index * 2 + 1] === words[other * 2 + 1] &&
      (words[index * 2] as number) >>> numberBits === (words[other * 2] as number) >>> numberBits
    );
  }
}
