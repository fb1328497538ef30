/**
 * By optimal string alignment; null if none is near: at most one edit for up to four characters,
 * otherwise two, and always fewer than the name has characters.
 */
export function nearest(name: string, candidates: readonly string[]): string | null {
  const lowerCase = name.toLowerCase();
  const maxDistance = Math.min(lowerCase.length <= 4 ? 1 : 2, lowerCase.length - 1);
  let best: string | null = null;
  let bestDistance = maxDistance + 1;
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
  let secondLastRow: number[] = [];
  let previousRow = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const substitution = cellAt(previousRow, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      let distance = Math.min(cellAt(previousRow, j) + 1, cellAt(row, j - 1) + 1, substitution);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        distance = Math.min(distance, cellAt(secondLastRow, j - 2) + 1);
      }
      row.push(distance);
    }
    secondLastRow = previousRow;
    previousRow = row;
  }
  return cellAt(previousRow, to.length);
}

function cellAt(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
