import { createRecordLine } from "./lines.ts";
import { RecordError } from "./record.ts";

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
 * Splits CSV (RFC 4180) into records. A quote opens only at the start of a field. An unclosed quote
 * extends its record to the end of the file, with at most `maxBytes` in memory.
 */
export function createCsvSplitter(maxBytes: number): CsvSplitter {
  let line = 1;
  let firstLine = 1;
  let inQuotes = false;
  let hasJustClosed = false;
  let isFieldStart = true;
  let separators = new Set(delimiters.map((delimiter) => delimiter.charCodeAt(0)));
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
    for (let offset = 0; offset < piece.length; offset += 1) {
      const byte = piece[offset] ?? 0;
      if (byte === lineFeed) {
        line += 1;
        if (inQuotes) continue;
        buffer.append(piece.subarray(start, offset));
        yield take();
        start = offset + 1;
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

export function detectDelimiter(header: string): string {
  const [mostFrequent = ","] = delimiters.toSorted(
    (a, b) => countOccurrences(b, header) - countOccurrences(a, header),
  );
  return mostFrequent;
}

const countOccurrences = (name: string, text: string): number => text.split(name).length;

/** Throws `RecordError` for an invalid quoted field. */
export function csvFields(record: string, delimiter: string): string[] {
  const fields: string[] = [];
  for (let offset = 0; ; ) {
    const { value, end } =
      record[offset] === '"' ? quotedField(record, offset) : bareField(record, offset, delimiter);
    fields.push(value);
    if (end >= record.length) return fields;
    if (record[end] !== delimiter) {
      throw new RecordError(
        `field ${fields.length}: expected ${JSON.stringify(delimiter)} after its closing quote`,
      );
    }
    offset = end + 1;
  }
}

type Field = { value: string; end: number };

function bareField(record: string, offset: number, delimiter: string): Field {
  const delimiterAt = record.indexOf(delimiter, offset);
  const end = delimiterAt < 0 ? record.length : delimiterAt;
  return { value: record.slice(offset, end), end };
}

function quotedField(record: string, offset: number): Field {
  for (let end = offset + 1; ; end += 2) {
    end = record.indexOf('"', end);
    if (end < 0) throw new RecordError("expected a closing quote before the end of the file");
    if (record[end + 1] === '"') continue;
    return { value: record.slice(offset + 1, end).replaceAll('""', '"'), end: end + 1 };
  }
}
