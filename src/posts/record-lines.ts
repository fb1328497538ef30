import { longName, longReference, shortName, shortReference } from "./short-names.ts";
import { listOfSpans, spansOf } from "./text-spans.ts";

/**
 * What a stored record says, line by line: each is a value in the JSON form in which the answer shows it, empty where the value
 * is the usual one.
 */
export const line = {
  content: 0,
  username: 1,
  authorName: 2,
  userId: 3,
  /** Without what `derivedUri` makes from platform, account and ID. */
  uri: 4,
  url: 5,
  langs: 6,
  conversationId: 7,
  inReplyTo: 8,
  quoted: 9,
  reposted: 10,
  /** Letters: r reply, q quote, t repost, v verified author, u known unverified, s sensitive, n known not; then the origin unless imported. */
  flags: 11,
  hashtags: 12,
  mentions: 13,
  /** Account ids of the mentions, in their order, null where unknown. */
  mentionIds: 14,
  urls: 15,
  media: 16,
  geo: 17,
  labels: 18,
  /**
   * The time claimed where it is not the row's time: Unix milliseconds, or `+` and by how many milliseconds it lies after the
   * row's, base 36.
   */
  createdMs: 19,
  source: 20,
  /** Only where `langs` is empty. */
  detectedLang: 21,
  /** Labels that others gave the post or its author, beside its own. */
  addedLabels: 22,
} as const;

const lineCount = line.addedLabels + 1;
const separator = "\n";

/** How a line is written shorter than it is sent. */
type Form = "string" | "name" | "reference" | "langs" | "list" | "found" | "same";

/**
 * What a record may have, the most frequent first, as the first bits are the cheapest: a line, or a letter of the flags. Their
 * order is how archives are read, and nothing but the end may change.
 */
const parts: readonly ({ line: number; form: Form } | { flag: string })[] = [
  { line: line.username, form: "string" },
  { line: line.userId, form: "name" },
  { line: line.langs, form: "langs" },
  { line: line.urls, form: "found" },
  { flag: "t" },
  { line: line.hashtags, form: "found" },
  { line: line.mentions, form: "found" },
  { line: line.uri, form: "same" },
  { flag: "r" },
  { flag: "S" },
  { line: line.createdMs, form: "same" },
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
  { line: line.geo, form: "same" },
];
const flagOrder = "rqtvusnSBU";
const flagBits = parts.reduce((bits, part, bit) => ("flag" in part ? bits | (1 << bit) : bits), 0);

/** The head is the bits of the parts, five a character, the first ones first; all but its last character have bit 5 too. */
const firstDigit = 0x30;
const bitsOfDigit = 5;
const moreDigits = 1 << bitsOfDigit;

/**
 * The stored form: a head that says which lines follow and which flags are set, the text without its quotes, then those lines.
 * Records of the form before it, all lines up to the last one that is not empty, begin with the quote of their text instead.
 */
export function packLines(lines: readonly string[]): string {
  const text = (lines[line.content] ?? "").slice(1, -1);
  const flags = lines[line.flags] ?? "";
  let bits = 0;
  let body = text;
  for (const [bit, part] of parts.entries()) {
    if ("flag" in part) {
      if (flags.includes(part.flag)) bits |= 1 << bit;
      continue;
    }
    const value = lines[part.line];
    if (!value) continue;
    bits |= 1 << bit;
    body += separator + shortened(value, part.form, text);
  }
  return headOf(bits) + body;
}

function headOf(bits: number): string {
  let head = "";
  let rest = bits;
  while (rest >= moreDigits) {
    head += String.fromCharCode(firstDigit + moreDigits + (rest % moreDigits));
    rest >>>= bitsOfDigit;
  }
  return head + String.fromCharCode(firstDigit + rest);
}

/** The lines of a stored record of either form; those at the end may be missing. */
export function unpackLines(record: string): string[] {
  if (record.startsWith('"')) return record.split(separator);
  let bits = 0;
  let at = 0;
  for (let digit = moreDigits; digit >= moreDigits; at += 1) {
    digit = record.charCodeAt(at) - firstDigit;
    bits |= (digit % moreDigits) << (at * bitsOfDigit);
  }
  const lines = new Array<string>(lineCount).fill("");
  lines[line.flags] = flagsOf(bits & flagBits);
  let end = endOfLine(record, at);
  const text = record.slice(at, end);
  lines[line.content] = `"${text}"`;
  for (let rest = bits & ~flagBits; rest !== 0; rest &= rest - 1) {
    const part = parts[31 - Math.clz32(rest & -rest)];
    if (part === undefined || "flag" in part) continue;
    const start = end + 1;
    end = endOfLine(record, start);
    lines[part.line] = lengthened(record.slice(start, end), part.form, text);
  }
  return lines;
}

function endOfLine(record: string, start: number): number {
  const end = record.indexOf(separator, start);
  return end === -1 ? record.length : end;
}

const knownFlags = new Map<number, string>();

function flagsOf(bits: number): string {
  const known = knownFlags.get(bits);
  if (known !== undefined) return known;
  const isSet = (flag: string): boolean =>
    parts.some((part, bit) => "flag" in part && part.flag === flag && (bits & (1 << bit)) !== 0);
  const flags = [...flagOrder].filter(isSet).join("");
  knownFlags.set(bits, flags);
  return flags;
}

function shortened(value: string, form: Form, text: string): string {
  switch (form) {
    case "same":
      return value;
    case "string":
      return value.slice(1, -1);
    case "name":
      return shortName(value.slice(1, -1));
    case "reference":
      return shortReference(value);
    case "list":
      return value.slice(1, -1);
    case "langs":
      return /^\["[A-Za-z0-9-]+"\]$/.test(value) ? value.slice(2, -2) : value;
    case "found":
      return spansOf(value, text) ?? value.slice(1, -1);
  }
}

function lengthened(short: string, form: Form, text: string): string {
  switch (form) {
    case "same":
      return short;
    case "string":
      return `"${short}"`;
    case "name":
      return `"${longName(short)}"`;
    case "reference":
      return longReference(short);
    case "list":
      return `[${short}]`;
    case "langs":
      return short.startsWith("[") ? short : `["${short}"]`;
    case "found":
      return short.startsWith('"') ? `[${short}]` : listOfSpans(short, text);
  }
}
