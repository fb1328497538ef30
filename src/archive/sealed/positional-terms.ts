import { Buffer } from "node:buffer";

export const isPositionalTerm = (term: string): boolean => !searchedAlone.test(term);

const searchedAlone = /^(?:\|$|[@$]|(?!url:)[a-z-]+:|(?:likes|reposts|replies|quotes)>=)/;

const isLetterOrDash = (byte: number): boolean => (byte >= 0x61 && byte <= 0x7a) || byte === 0x2d;
const dollar = 0x24;
const colon = 0x3a;
const at = 0x40;
const bar = 0x7c;
const link = Buffer.from("url:");
const thresholds = ["likes>=", "reposts>=", "replies>=", "quotes>="].map((name) =>
  Buffer.from(name),
);

export function isPositionalTermBytes(term: Uint8Array, length: number): boolean {
  const first = term[0] as number;
  if (first === bar) return length > 1;
  if (first === at || first === dollar) return false;
  let letters = 0;
  while (letters < length && isLetterOrDash(term[letters] as number)) letters += 1;
  if (letters === 0 || letters === length) return true;
  const next = term[letters] as number;
  if (next === colon) return letters === link.length - 1 && beginsWith(term, length, link);
  return !thresholds.some((threshold) => beginsWith(term, length, threshold));
}

function beginsWith(term: Uint8Array, length: number, start: Uint8Array): boolean {
  if (length < start.length) return false;
  for (let index = 0; index < start.length; index++) {
    if (term[index] !== start[index]) return false;
  }
  return true;
}
