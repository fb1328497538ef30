const units = ["kB", "MB", "GB", "TB"] as const;

/** Powers of 1000: `1.24 GB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  let value = bytes;
  let unit: string = "B";
  for (const nextUnit of units) {
    if (value < 999.5) break;
    value /= 1_000;
    unit = nextUnit;
  }
  const digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${unit}`;
}

export const numberText = (value: number): string => value.toLocaleString("en");
