/** The powers of ten around all values, at least one apart. */
export function magnitudes(min: number, max: number): [number, number] {
  const low = Math.floor(Math.log10(Math.max(1, min)));
  const high = Math.ceil(Math.log10(Math.max(1, max)));
  return [10 ** low, 10 ** Math.max(high, low + 1)];
}

export function powersOfTen(min: number, max: number): number[] {
  const low = Math.round(Math.log10(min));
  const high = Math.round(Math.log10(max));
  return Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
}

export function isolatedIndices(values: ArrayLike<number | null | undefined>): number[] {
  return Array.from({ length: values.length }, (_, index) => index).filter(
    (at) => values[at] != null && values[at - 1] == null && values[at + 1] == null,
  );
}
