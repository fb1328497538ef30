import { createRecordBuffer } from "./lines.ts";

export type JsonValue = { bytes: Buffer; isTooLong: boolean };

export type JsonSplitter = {
  feed(piece: Buffer): Generator<JsonValue>;
  /** Returns the value that ends with the file, if any. Throws if the file is truncated. */
  end(): JsonValue | null;
};

export type JsonSplitterOptions = {
  maxValueBytes: number;
  listName: string | null;
};

const maxNameLength = 64;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
const lineFeed = 0x0a;

/**
 * Splits JSON in one pass, with at most one value in memory. Yields the items of a list instead of
 * the list. Invalid JSON becomes a value that fails to parse. If the first object is on one line, a
 * broken value ends with its line, otherwise with the file.
 */
export function createJsonSplitter({ maxValueBytes, listName }: JsonSplitterOptions): JsonSplitter {
  let location: "file" | "list" | "list of object" | "rest of object" = "file";
  let openValue: "none" | "scalar" | "container" = "none";
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  const buffer = createRecordBuffer(maxValueBytes, 0);
  let hasLineFeed = false;
  let isLinewise: boolean | null = null;
  let text = "";
  let name = "";

  function append(piece: Buffer): void {
    if (location !== "rest of object") buffer.append(piece);
  }

  function drop(): JsonValue {
    const value = buffer.take();
    hasLineFeed = false;
    inString = false;
    isEscaped = false;
    openValue = "none";
    depth = 0;
    return value;
  }

  function take(): JsonValue {
    if (openValue === "container" && location === "file" && buffer.size() > 2)
      isLinewise ??= !hasLineFeed;
    return drop();
  }

  const isInFile = (): boolean => location === "file";
  const isSeekingList = (): boolean => listName !== null && isInFile() && depth === 1;

  function* feed(piece: Buffer): Generator<JsonValue> {
    let start = 0;
    let offset = 0;

    function endValue(end: number): JsonValue {
      append(piece.subarray(start, end));
      return take();
    }

    for (; offset < piece.length; offset += 1) {
      const byte = piece[offset] ?? 0;
      if (openValue === "none") {
        if (byte === closeBracket && location === "list") location = "file";
        else if (byte === closeBracket && location === "list of object") {
          location = "rest of object";
          openValue = "container";
          depth = 1;
        } else if (byte === openBracket && isInFile()) location = "list";
        else if (byte === openBracket || byte === openBrace) {
          openValue = "container";
          depth = 1;
          start = offset;
          text = "";
          name = "";
        } else if (byte > 0x20 && byte !== comma) {
          openValue = "scalar";
          start = offset;
          inString = byte === quote;
        }
        continue;
      }
      if (byte === lineFeed) {
        hasLineFeed = true;
        if (openValue === "scalar" || (isLinewise === true && isInFile())) yield endValue(offset);
        continue;
      }
      if (inString) {
        if (byte === quote && !isEscaped) inString = false;
        else if (isSeekingList() && text.length < maxNameLength) text += String.fromCharCode(byte);
        isEscaped = byte === backslash && !isEscaped;
        continue;
      }
      if (byte === quote) {
        inString = true;
        isEscaped = false;
        text = "";
        continue;
      }
      if (openValue === "scalar") {
        const isEnd = isInFile()
          ? byte === openBracket || byte === openBrace
          : byte === comma || byte === closeBracket;
        if (!isEnd) continue;
        yield endValue(offset);
        offset -= 1;
        continue;
      }
      if (byte === colon && isSeekingList()) {
        name = text;
      } else if (byte === comma && isSeekingList()) {
        name = "";
      } else if (byte === openBracket && isSeekingList() && name === listName) {
        drop();
        location = "list of object";
      } else if (byte === openBracket || byte === openBrace) {
        depth += 1;
      } else if (byte === closeBracket || byte === closeBrace) {
        depth -= 1;
        if (depth > 0) continue;
        if (location === "rest of object") {
          drop();
          location = "file";
        } else yield endValue(offset + 1);
      }
    }
    if (openValue !== "none") append(piece.subarray(start));
  }

  function end(): JsonValue | null {
    if (openValue === "none" && isInFile()) return null;
    if (isInFile() && (openValue === "scalar" || isLinewise === true)) return take();
    throw new Error("truncated within a list or object");
  }

  return { feed, end };
}
