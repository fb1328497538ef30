/**
 * A file format: the head has a bit for each line that follows. Bits may be added at the end, but none
 * may change. Records of the first form begin with a quote, which a head never does.
 */

import {
  decodeList,
  encodeList,
  expandReference,
  expandShortName,
  shortName,
  shortReference,
} from "./short-forms.ts";

/** Each line is a value in the JSON form of the response, or empty for the default. */
export const line = {
  content: 0,
  username: 1,
  authorName: 2,
  userId: 3,
  uri: 4,
  url: 5,
  langs: 6,
  conversationId: 7,
  inReplyTo: 8,
  quoted: 9,
  reposted: 10,
  /**
   * Letters: r reply, q quote, t repost, v verified author, u known unverified, s sensitive, n
   * known not sensitive; then the origin unless imported.
   */
  flags: 11,
  hashtags: 12,
  mentions: 13,
  mentionIds: 14,
  urls: 15,
  media: 16,
  geo: 17,
  labels: 18,
  /** The claimed time in Unix milliseconds; empty if unknown or the row's time. */
  createdMs: 19,
  source: 20,
  /** Present only if `langs` is empty. */
  detectedLang: 21,
  addedLabels: 22,
} as const;

const emptyLines: readonly string[] = Array.from({ length: line.addedLabels + 1 }, () => "");
const separator = "\n";

type Form = "string" | "number" | "name" | "reference" | "langs" | "list" | "spans" | "verbatim";

const flagOrder = "rqtvusnSBU";

/** Lines and flag letters, most frequent first, because low bits are the cheapest. Append only. */
const bitAssignments: readonly ({ line: number; form: Form } | { flag: string })[] = [
  { line: line.username, form: "string" },
  { line: line.userId, form: "name" },
  { line: line.langs, form: "langs" },
  { line: line.urls, form: "spans" },
  { flag: "t" },
  { line: line.hashtags, form: "spans" },
  { line: line.mentions, form: "spans" },
  { line: line.uri, form: "verbatim" },
  { flag: "r" },
  { flag: "S" },
  { line: line.createdMs, form: "number" },
  { line: line.inReplyTo, form: "reference" },
  { line: line.conversationId, form: "name" },
  { flag: "q" },
  { line: line.media, form: "list" },
  { flag: "B" },
  { flag: "n" },
  { flag: "s" },
  { line: line.quoted, form: "reference" },
  { line: line.mentionIds, form: "list" },
  { line: line.labels, form: "list" },
  { line: line.addedLabels, form: "list" },
  { line: line.authorName, form: "string" },
  { line: line.url, form: "string" },
  { line: line.source, form: "string" },
  { line: line.detectedLang, form: "string" },
  { flag: "v" },
  { flag: "u" },
  { flag: "U" },
  { line: line.reposted, form: "reference" },
  { line: line.geo, form: "verbatim" },
];
const storedLines = bitAssignments.flatMap((part, bit) =>
  "line" in part ? [{ ...part, bit: 1 << bit }] : [],
);
const storedFlags = bitAssignments
  .flatMap((part, bit) => ("flag" in part ? [{ ...part, bit: 1 << bit }] : []))
  .toSorted((a, b) => flagOrder.indexOf(a.flag) - flagOrder.indexOf(b.flag));
const flagBits = storedFlags.reduce((bits, { bit }) => bits | bit, 0);

const firstDigit = 0x30;
const bitsPerDigit = 5;
const continuationBit = 1 << bitsPerDigit;
const quote = 0x22;
const bracket = 0x5b;

/**
 * The head, the text without its quotes, then the lines present. The first form has all lines up to
 * the last non-empty one.
 */
export function packLines(lines: readonly string[]): string {
  const text = (lines[line.content] ?? "").slice(1, -1);
  const flags = lines[line.flags] ?? "";
  let bits = flags === "" ? 0 : computeBits(flags);
  let body = text;
  for (const { bit, line, form } of storedLines) {
    const value = lines[line];
    if (!value) continue;
    bits |= bit;
    body += separator + shorten(value, form, text);
  }
  return formatHead(bits) + body;
}

function formatHead(bits: number): string {
  let head = "";
  let remainingBits = bits;
  while (remainingBits >= continuationBit) {
    head += String.fromCharCode(firstDigit + continuationBit + (remainingBits % continuationBit));
    remainingBits >>>= bitsPerDigit;
  }
  return head + String.fromCharCode(firstDigit + remainingBits);
}

export function unpackLines(record: string): string[] {
  if (record.charCodeAt(0) === quote) return record.split(separator);
  const headEnd = headLength(record);
  const bits = headBits(record, headEnd);
  const lines = emptyLines.slice();
  let end = endOfLine(record, headEnd);
  const text = record.slice(headEnd, end);
  lines[line.content] = `"${text}"`;
  if ((bits & flagBits) !== 0) lines[line.flags] = formatFlags(bits & flagBits);
  for (
    let remainingBits = bits & ~flagBits;
    remainingBits !== 0;
    remainingBits &= remainingBits - 1
  ) {
    const part = bitAssignments[31 - Math.clz32(remainingBits & -remainingBits)];
    if (part === undefined || "flag" in part) continue;
    const start = end + 1;
    end = endOfLine(record, start);
    lines[part.line] = expand(record.slice(start, end), part.form, text);
  }
  return lines;
}

export function unpackFlags(record: string): string {
  if (record.charCodeAt(0) === quote) return record.split(separator)[line.flags] ?? "";
  return formatFlags(headBits(record, headLength(record)) & flagBits);
}

function headLength(record: string): number {
  let length = 1;
  while (record.charCodeAt(length - 1) - firstDigit >= continuationBit) length += 1;
  return length;
}

function headBits(record: string, length: number): number {
  let bits = 0;
  for (let offset = 0; offset < length; offset += 1) {
    bits |= ((record.charCodeAt(offset) - firstDigit) % continuationBit) << (offset * bitsPerDigit);
  }
  return bits;
}

function endOfLine(record: string, start: number): number {
  const end = record.indexOf(separator, start);
  return end === -1 ? record.length : end;
}

const flagsByBits = new Map<number, string>();

function formatFlags(bits: number): string {
  const cached = flagsByBits.get(bits);
  if (cached !== undefined) return cached;
  const setFlags = storedFlags.filter(({ bit }) => (bits & bit) !== 0);
  const flags = setFlags.map(({ flag }) => flag).join("");
  flagsByBits.set(bits, flags);
  return flags;
}

const computeBits = (flags: string): number =>
  storedFlags.reduce((bits, { flag, bit }) => (flags.includes(flag) ? bits | bit : bits), 0);

function shorten(value: string, form: Form, text: string): string {
  switch (form) {
    case "verbatim":
      return value;
    case "string":
      return value.slice(1, -1);
    case "number":
      return shortNumber(value);
    case "name":
      return shortName(value.slice(1, -1));
    case "reference":
      return shortReference(value);
    case "list":
      return value.slice(1, -1);
    case "langs":
      return /^\["[A-Za-z0-9-]+"\]$/.test(value) ? value.slice(2, -2) : value;
    case "spans":
      return encodeList(value, text) ?? value.slice(1, -1);
  }
}

function expand(short: string, form: Form, text: string): string {
  switch (form) {
    case "verbatim":
      return short;
    case "string":
      return `"${short}"`;
    case "number":
      return expandNumber(short);
    case "name":
      return `"${expandShortName(short)}"`;
    case "reference":
      return expandReference(short);
    case "list":
      return `[${short}]`;
    case "langs":
      return short.charCodeAt(0) === bracket ? short : `["${short}"]`;
    case "spans":
      return short.charCodeAt(0) === quote ? `[${short}]` : decodeList(short, text);
  }
}

const shortBase = 36;
const literalMark = "=";

function shortNumber(value: string): string {
  const number = Number(value);
  const isWhole = Number.isSafeInteger(number) && String(number) === value;
  return isWhole ? number.toString(shortBase) : literalMark + value;
}

function expandNumber(short: string): string {
  if (short.startsWith(literalMark)) return short.slice(literalMark.length);
  return String(Number.parseInt(short, shortBase));
}
