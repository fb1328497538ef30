export type Summary = { p50: number; p95: number; p99: number; mean: number };

export function summary(durationsMs: readonly number[]): Summary {
  const sorted = durationsMs.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
  };
}

export async function timed(run: () => unknown): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** A Markdown table with right-aligned numbers. */
export function table(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const text = (cell: string | number): string =>
    typeof cell === "number" ? cell.toFixed(3) : cell;
  const lines = [
    header,
    header.map((_, index) => (index === 0 ? "---" : "---:")),
    ...rows.map((row) => row.map(text)),
  ];
  return lines.map((line) => `| ${line.join(" | ")} |`).join("\n");
}

export function command(): string {
  return `node ${process.argv
    .slice(1)
    .map((part) => part.replace(`${process.cwd()}/`, ""))
    .join(" ")}`;
}

/** Reproducible numbers in 0..1 (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
