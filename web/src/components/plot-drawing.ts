/** The drawing is stretched to the available width. */
export const valueWidth = 10;
export const plotHeight = 100;

/** Breaks at null; a single value is a short line. */
export function linePath(values: readonly (number | null)[], top: number): string {
  return splitIntoRuns(values)
    .map((run) => {
      const [first] = run;
      if (first !== undefined && run.length === 1) {
        return `M${xAt(first.at) - 2} ${yAt(first.value, top)}h4`;
      }
      return run
        .map(({ at, value }, index) => `${index === 0 ? "M" : "L"}${xAt(at)} ${yAt(value, top)}`)
        .join("");
    })
    .join("");
}

export function areaPath(values: readonly (number | null)[], top: number): string {
  return splitIntoRuns(values)
    .flatMap((run) => {
      const first = run[0];
      const last = run.at(-1);
      if (first === undefined || last === undefined || first === last) return [];
      const line = run.map(({ at, value }) => `L${xAt(at)} ${yAt(value, top)}`).join("");
      return [`M${xAt(first.at)} ${plotHeight}${line}V${plotHeight}z`];
    })
    .join("");
}

/** A round bound, not below any value; half of it is round too. */
export function roundTop(values: readonly (number | null)[], min = 1): number {
  const max = Math.max(min, ...values.map((value) => value ?? 0));
  const power = 10 ** Math.floor(Math.log10(max));
  const factor = [2, 4, 6, 8, 10].find((value) => value * power >= max * (1 - 1e-9)) ?? 10;
  return factor * power;
}

function splitIntoRuns(values: readonly (number | null)[]): { at: number; value: number }[][] {
  const runs: { at: number; value: number }[][] = [];
  let run: { at: number; value: number }[] = [];
  for (const [index, value] of [...values, null].entries()) {
    if (value !== null) run.push({ at: index, value });
    else if (run.length > 0) {
      runs.push(run);
      run = [];
    }
  }
  return runs;
}

const xAt = (index: number): number => index * valueWidth + valueWidth / 2;

function yAt(value: number, top: number): number {
  const fraction = Math.min(1, Math.max(0, value / top));
  // Keeps small values visible.
  const visibleFraction = value > 0 ? Math.max(fraction, 0.015) : fraction;
  return Math.round((1 - visibleFraction) * plotHeight * 10) / 10;
}
