import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { parseUntrustedJson } from "../../../lib/bounded-json.ts";
import { isoText } from "../../../lib/iso-time.ts";
import type { Platform, Post } from "../../../posts/post.ts";
import { type CsvRecord, createCsvSplitter, csvFields, detectDelimiter } from "../csv-records.ts";
import type { ImportFieldName } from "../fields.ts";
import { withoutByteOrderMark } from "../lines.ts";
import { RecordError } from "../record.ts";
import type { ImportSource } from "../source.ts";
import { unreadableImport } from "../source-bytes.ts";
import { type ColumnMap, type Columns, csvColumns } from "./csv-columns.ts";
import {
  type FileRecord,
  type ReadContext,
  type ReadOptions,
  type RecordsFormat,
  refusedRecord,
} from "./format.ts";
import { readPostFields } from "./json-records.ts";

export type CsvOptions = {
  platform: Platform;
  columns: ColumnMap;
  author: string | null;
};

type Header = { columns: Columns; delimiter: string; bytes: Buffer };

export function csvFormat(options: CsvOptions): RecordsFormat {
  const optionsJson = JSON.stringify([[...options.columns], options.author]);

  async function* records(source: ImportSource, { limits: { maxLineBytes } }: ReadOptions) {
    const splitter = createCsvSplitter(maxLineBytes);
    let header: Header | null = null;

    function* readRecords(csvRecords: Iterable<CsvRecord>): Generator<FileRecord> {
      for (const record of csvRecords) {
        if (header === null) {
          header = readHeader(source.name, record, options);
          splitter.useDelimiter(header.delimiter);
        } else yield makeRecord(record, header, options, maxLineBytes);
      }
    }

    for await (const piece of source.pieces(0)) yield readRecords(splitter.feed(piece));
    const last = splitter.end();
    if (last !== null) yield readRecords([last]);
  }

  return { key: `csv:${hash("sha256", optionsJson).slice(0, 16)}`, records };
}

function readHeader(file: string, record: CsvRecord, options: CsvOptions): Header {
  const { bytes, isTooLong } = record;
  const text = withoutByteOrderMark(bytes).toString("utf8");
  if (isTooLong) throw unreadableImport(file, new Error("its header line is too long"));
  const delimiter = detectDelimiter(text);
  const names = namesIn(file, text, delimiter);
  const columns = csvColumns(file, names, { map: options.columns, author: options.author });
  return { columns, delimiter, bytes: Buffer.from(bytes) };
}

function namesIn(file: string, text: string, delimiter: string): string[] {
  try {
    return csvFields(text, delimiter);
  } catch (error) {
    throw unreadableImport(file, error);
  }
}

function makeRecord(
  { bytes, line, isTooLong }: CsvRecord,
  header: Header,
  options: CsvOptions,
  maxBytes: number,
): FileRecord {
  const reason = `longer than ${maxBytes} bytes, perhaps because of an unclosed quote`;
  const record = refusedRecord({ number: line, bytes }, reason);
  const read = (context: ReadContext) => readFields(bytes, header, options, context);
  return { ...record, head: header.bytes, ...(isTooLong ? {} : { read }) };
}

function readFields(
  bytes: Buffer,
  { columns, delimiter }: Header,
  { platform, author }: CsvOptions,
  context: ReadContext,
): Post | null {
  if (bytes.length === 0) return null;
  if (!isUtf8(bytes)) throw new RecordError("not valid UTF-8");
  const values = csvFields(bytes.toString("utf8"), delimiter);
  if (values.length !== columns.count) {
    throw new RecordError(`expected ${columns.count} fields, found ${values.length}`);
  }
  for (const { name, index } of columns.unusedColumns) {
    if (values[index] !== "") context.onIgnored(name);
  }
  const entries = columns.fields.map(({ name, index }) => [
    name,
    csvValue(name, values[index] ?? ""),
  ]);
  const fields = Object.fromEntries(entries);
  return readPostFields(author === null ? fields : { ...fields, author }, platform, context);
}

type ValueReader = (text: string) => unknown;

const readNumber: ValueReader = (text) => (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text);

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  "1": true,
  false: false,
  no: false,
  "0": false,
};

const readBoolean: ValueReader = (text) => booleans[text.toLowerCase()] ?? text;

/** Reads a JSON list or items separated by `separator`. */
const readList =
  (separator: RegExp): ValueReader =>
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

/** Reads ISO 8601, possibly with a space before the offset, or Unix seconds or milliseconds. */
const readTime: ValueReader = (text) => {
  if (/^\d{10}$/.test(text)) return isoText(Number(text) * 1_000);
  if (/^\d{13}$/.test(text)) return isoText(Number(text));
  return text.replace(/ UTC$/, "Z").replace(/ (?=[+-]\d\d:?\d\d$)/, "");
};

const readers: Readonly<Partial<Record<ImportFieldName, ValueReader>>> = {
  created_at: readTime,
  likes: readNumber,
  reposts: readNumber,
  replies: readNumber,
  quotes: readNumber,
  lat: readNumber,
  lon: readNumber,
  author_verified: readBoolean,
  is_repost: readBoolean,
  is_quote: readBoolean,
  sensitive: readBoolean,
  hashtags: readList(/[\s,;]+/),
  labels: readList(/[\s,;]+/),
  urls: readList(/\s+/),
  media: (text) => jsonList(text) ?? text,
};

function csvValue(name: ImportFieldName, text: string): unknown {
  if (name === "text") return text;
  const trimmedText = text.trim();
  const read = readers[name];
  return read === undefined || trimmedText === "" ? trimmedText : read(trimmedText);
}
