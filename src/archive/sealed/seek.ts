export function seek(
  sortedValues: Uint16Array | Uint32Array,
  from: number,
  end: number,
  value: number,
): number {
  if (from >= end || (sortedValues[from] as number) >= value) return from;
  let step = 1;
  while (from + step < end && (sortedValues[from + step] as number) < value) step <<= 1;
  let low = from + (step >> 1) + 1;
  let high = Math.min(from + step, end);
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sortedValues[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
