const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Makes numbers, or ULIDs of 26 characters, that sort by time. */
export function makeIds(hasUlids: () => boolean): { next(ms: number): string } {
  let count = 0n;
  return {
    next: (ms) => {
      count += 1n;
      return hasUlids()
        ? `${toBase32(BigInt(ms), 10)}${toBase32(count, 16)}`
        : String((BigInt(ms) << 16n) | (count & 0xffffn));
    },
  };
}

function toBase32(number: bigint, length: number): string {
  let remaining = number;
  let text = "";
  for (let position = 0; position < length; position += 1) {
    text = `${letters[Number(remaining & 31n)]}${text}`;
    remaining >>= 5n;
  }
  return text;
}

/** Longer ids are newer. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
