import { RecordError } from "./record.ts";
import { createRecordLine } from "./record-bytes.ts";

/** A record of a CSV file, without its line end. Of one that is longer than allowed only the beginning is kept. */
export type CsvRecord = {
  bytes: Buffer;
  /** Of its first line, from 1. */
  line: number;
  isTooLong: boolean;
};

export type CsvSplitter = {
  /** From the next record on this separates the fields. Until then each of the usual ones may. */
  useDelimiter(delimiter: string): void;
  /** The records that end within this piece of the file. */
  feed(piece: Buffer): Generator<CsvRecord>;
  /** The last record, when it has no end of its own. */
  end(): CsvRecord | null;
};

const [quote, lineFeed] = [0x22, 0x0a];
/** What may separate fields: the header shows which one does. */
const delimiters = [",", ";", "\t"] as const;

/**
 * Cuts CSV (RFC 4180) into records: lines, but for line ends in quotes. A quote opens only at the start of a field, and a record
 * with one that is not closed goes on to the end of the file, of which no more than `maxBytes` are in memory.
 */
export function createCsvSplitter(maxBytes: number): CsvSplitter {
  let line = 1;
  let firstLine = 1;
  let inQuotes = false;
  /** After a quote that closes: another one stands for a quote in the field. */
  let hasJustClosed = false;
  let isFieldStart = true;
  let separators = new Set(delimiters.map((one) => one.charCodeAt(0)));
  const held = createRecordLine(maxBytes);

  function take(): CsvRecord {
    const record = { ...held.take(), line: firstLine };
    inQuotes = false;
    isFieldStart = true;
    hasJustClosed = false;
    firstLine = line;
    return record;
  }

  function* feed(piece: Buffer): Generator<CsvRecord> {
    let start = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (byte === lineFeed) {
        line += 1;
        if (inQuotes) continue;
        held.hold(piece.subarray(start, at));
        yield take();
        start = at + 1;
      } else if (byte === quote) {
        const opens = !inQuotes && (isFieldStart || hasJustClosed);
        hasJustClosed = inQuotes;
        inQuotes = opens;
        isFieldStart = false;
      } else if (!inQuotes) {
        hasJustClosed = false;
        isFieldStart = separators.has(byte);
      }
    }
    if (start < piece.length) held.hold(piece.subarray(start));
  }

  function useDelimiter(delimiter: string): void {
    separators = new Set([delimiter.charCodeAt(0)]);
  }

  return { useDelimiter, feed, end: () => (held.size() > 0 ? take() : null) };
}

/** The separator that a header has most of, the comma where it has none. */
export function delimiterOf(header: string): string {
  const [most = ","] = delimiters.toSorted((a, b) => countOf(b, header) - countOf(a, header));
  return most;
}

const countOf = (one: string, text: string): number => text.split(one).length;

/** The fields of a record. Throws `RecordFault` where a quoted field does not end with its quote. */
export function csvFields(record: string, delimiter: string): string[] {
  const fields: string[] = [];
  for (let at = 0; ; ) {
    const { value, end } =
      record[at] === '"' ? quotedField(record, at) : bareField(record, at, delimiter);
    fields.push(value);
    if (end >= record.length) return fields;
    if (record[end] !== delimiter) {
      throw new RecordError(
        `field ${fields.length}: expected ${JSON.stringify(delimiter)} after its closing quote`,
      );
    }
    at = end + 1;
  }
}

/** `end` is where the separator behind it is. */
type Field = { value: string; end: number };

function bareField(record: string, at: number, delimiter: string): Field {
  const found = record.indexOf(delimiter, at);
  const end = found < 0 ? record.length : found;
  return { value: record.slice(at, end), end };
}

function quotedField(record: string, at: number): Field {
  for (let end = at + 1; ; end += 2) {
    end = record.indexOf('"', end);
    if (end < 0) throw new RecordError("expected a closing quote before the end of the file");
    if (record[end + 1] === '"') continue;
    return { value: record.slice(at + 1, end).replaceAll('""', '"'), end: end + 1 };
  }
}
