/**
 * By optimal string alignment; null if none is near: at most one edit for up to four characters,
 * otherwise two, and always fewer than the name has characters.
 */
export function nearest(name: string, candidates: readonly string[]): string | null {
  const lowerCase = name.toLowerCase();
  const bound = Math.min(lowerCase.length <= 4 ? 1 : 2, lowerCase.length - 1);
  let best: string | null = null;
  let bestDistance = bound + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - lowerCase.length) >= bestDistance) continue;
    const distance = editDistance(lowerCase, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const substitution = at(last, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      let distance = Math.min(at(last, j) + 1, at(row, j - 1) + 1, substitution);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        distance = Math.min(distance, at(beforeLast, j - 2) + 1);
      }
      row.push(distance);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
