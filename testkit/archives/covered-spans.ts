import type { WriteBatch } from "../../src/archive/archive.ts";

export function coveredSpans(batches: readonly WriteBatch[]): number[][] {
  return batches
    .flatMap((batch) => batch.coverage ?? [])
    .filter(({ collection }) => collection === "posts")
    .reduce<number[][]>((merged, { fromMs, toMs }) => {
      const last = merged.at(-1);
      if (last !== undefined && (last[1] ?? 0) >= fromMs) last[1] = toMs;
      else merged.push([fromMs, toMs]);
      return merged;
    }, []);
}
