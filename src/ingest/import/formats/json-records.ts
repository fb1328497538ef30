import type { Platform, Post } from "../../../posts/post.ts";
import { createJsonSplitter, type JsonSplitterOptions, type JsonValue } from "../json-values.ts";
import { parseJsonLine } from "../lines.ts";
import { readImportRecord, toPost } from "../record.ts";
import type { ImportSource, SourceFile } from "../source.ts";
import { unreadableImport } from "../source-bytes.ts";
import {
  type FileRecord,
  type ReadContext,
  type RecordLimits,
  type RecordsFormat,
  refusedRecord,
} from "./format.ts";

/** Errors: those of the source; `import_unreadable` for a truncated file. */
export async function* jsonValues(
  source: ImportSource,
  files: readonly SourceFile[],
  options: JsonSplitterOptions,
): AsyncGenerator<Iterable<JsonValue>> {
  for (const file of files) {
    const splitter = createJsonSplitter(options);
    for await (const piece of file.pieces()) yield splitter.feed(piece);
    let last: JsonValue | null;
    try {
      last = splitter.end();
    } catch (error) {
      throw unreadableImport(source.name, error);
    }
    if (last !== null) yield [last];
  }
}

type JsonFormat = {
  key: string;
  files: RegExp;
  listName: string | null;
  padding: RegExp | null;
  prepare(source: ImportSource): Promise<(record: unknown, context: ReadContext) => Post | null>;
};

/** A format of one JSON list with a record per post. */
export function jsonFormat({ key, files, listName, padding, prepare }: JsonFormat): RecordsFormat {
  return {
    key,
    records: async function* (source, { limits }) {
      const sourceFiles = await source.files(files);
      const read = await prepare(source);
      const options = { maxValueBytes: limits.maxLineBytes, listName };
      let number = 0;

      function* readRecords(values: Iterable<JsonValue>): Generator<FileRecord> {
        for (const value of values) {
          if (isPadding(value, padding)) continue;
          number += 1;
          yield makeRecord(value, number, limits, read);
        }
      }

      const values = jsonValues(source, sourceFiles, options);
      for await (const batch of values) yield readRecords(batch);
    },
  };
}

export function isPadding({ bytes }: JsonValue, padding: RegExp | null): boolean {
  const text = bytes.length < 200 ? bytes.toString("utf8").trim() : null;
  return text === "" || (text !== null && padding?.test(text) === true);
}

function makeRecord(
  { bytes, isTooLong }: JsonValue,
  number: number,
  limits: RecordLimits,
  read: (record: unknown, context: ReadContext) => Post | null,
): FileRecord {
  if (isTooLong) return tooLongRecord({ bytes, isTooLong }, number, limits.maxLineBytes);
  return {
    number,
    endOffset: 0,
    size: bytes.length,
    raw: () => withoutLineBreaks(bytes),
    head: null,
    read: (context) => read(parseJsonLine(bytes, limits.maxDepth), context),
  };
}

export const tooLongRecord = ({ bytes }: JsonValue, number: number, maxBytes: number): FileRecord =>
  refusedRecord({ number, bytes: withoutLineBreaks(bytes) }, `longer than ${maxBytes} bytes`);

export const withoutLineBreaks = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)));

/** Throws `RecordError`. */
export const readPostFields = (
  fields: Readonly<Record<string, unknown>>,
  platform: Platform,
  { nowMs, onIgnored }: ReadContext,
): Post => toPost(readImportRecord(fields, onIgnored), platform, nowMs, onIgnored);
