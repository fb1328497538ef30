import { RecordError } from "./record.ts";
import { createRecordLine } from "./record-bytes.ts";

export type CsvRecord = {
  bytes: Buffer;
  line: number;
  isTooLong: boolean;
};

export type CsvSplitter = {
  useDelimiter(delimiter: string): void;
  feed(piece: Buffer): Generator<CsvRecord>;
  end(): CsvRecord | null;
};

const [quote, lineFeed] = [0x22, 0x0a];
const delimiters = [",", ";", "\t"] as const;

/**
 * CSV (RFC 4180). Quotes open only at the start of a field. An unclosed one extends its record to
 * the end of the file, with at most `maxBytes` in memory.
 */
export function createCsvSplitter(maxBytes: number): CsvSplitter {
  let line = 1;
  let firstLine = 1;
  let inQuotes = false;
  let hasJustClosed = false;
  let isFieldStart = true;
  let separators = new Set(delimiters.map((one) => one.charCodeAt(0)));
  const buffer = createRecordLine(maxBytes);

  function take(): CsvRecord {
    const record = { ...buffer.take(), line: firstLine };
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
        buffer.append(piece.subarray(start, at));
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
    if (start < piece.length) buffer.append(piece.subarray(start));
  }

  function useDelimiter(delimiter: string): void {
    separators = new Set([delimiter.charCodeAt(0)]);
  }

  return { useDelimiter, feed, end: () => (buffer.size() > 0 ? take() : null) };
}

export function delimiterOf(header: string): string {
  const [most = ","] = delimiters.toSorted((a, b) => countOf(b, header) - countOf(a, header));
  return most;
}

const countOf = (one: string, text: string): number => text.split(one).length;

/** Throws `RecordError` if a quoted field is not closed. */
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

type Field = { value: string; end: number };

function bareField(record: string, at: number, delimiter: string): Field {
  const delimiterAt = record.indexOf(delimiter, at);
  const end = delimiterAt < 0 ? record.length : delimiterAt;
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
