import { parseUntrustedJson } from "../../../lib/bounded-json.ts";
import { isoText } from "../../../lib/iso-time.ts";
import type { ImportFieldName } from "../fields.ts";

type Read = (text: string) => unknown;

const number: Read = (text) => (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text);

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  "1": true,
  false: false,
  no: false,
  "0": false,
};

const boolean: Read = (text) => booleans[text.toLowerCase()] ?? text;

/** JSON, or separated by `separator`. */
const list =
  (separator: RegExp): Read =>
  (text) =>
    jsonList(text) ?? text.split(separator).filter((item) => item !== "");

function jsonList(text: string): unknown {
  if (!text.trimStart().startsWith("[")) return null;
  try {
    return parseUntrustedJson(text);
  } catch {
    return null;
  }
}

/** ISO 8601, possibly with a space before the offset, or Unix seconds or milliseconds. */
const time: Read = (text) => {
  if (/^\d{10}$/.test(text)) return isoText(Number(text) * 1_000);
  if (/^\d{13}$/.test(text)) return isoText(Number(text));
  return text.replace(/ UTC$/, "Z").replace(/ (?=[+-]\d\d:?\d\d$)/, "");
};

const readers: Readonly<Partial<Record<ImportFieldName, Read>>> = {
  created_at: time,
  likes: number,
  reposts: number,
  replies: number,
  quotes: number,
  lat: number,
  lon: number,
  author_verified: boolean,
  is_repost: boolean,
  is_quote: boolean,
  sensitive: boolean,
  hashtags: list(/[\s,;]+/),
  labels: list(/[\s,;]+/),
  urls: list(/\s+/),
  media: (text) => jsonList(text) ?? text,
};

export function csvValue(name: ImportFieldName, text: string): unknown {
  if (name === "text") return text;
  const trimmed = text.trim();
  const read = readers[name];
  return read === undefined || trimmed === "" ? trimmed : read(trimmed);
}
