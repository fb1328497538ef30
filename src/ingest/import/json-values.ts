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

const longestName = 64;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
const lineFeed = 0x0a;

/**
 * Splits JSON in one pass, with at most one value in memory. Yields the items of a list instead of
 * the list. Invalid JSON becomes a value that fails to parse. If the first object is on one line, a
 * broken value ends with its line, otherwise with the file.
 */
export function createJsonSplitter({ maxValueBytes, listName }: JsonSplitterOptions): JsonSplitter {
  let within: "file" | "list" | "list of object" | "rest of object" = "file";
  let open: "none" | "scalar" | "container" = "none";
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  const buffer = createRecordBuffer(maxValueBytes, 0);
  let hasLineFeed = false;
  let isLinewise: boolean | null = null;
  let text = "";
  let name = "";

  function append(piece: Buffer): void {
    if (within !== "rest of object") buffer.append(piece);
  }

  function drop(): JsonValue {
    const value = buffer.take();
    hasLineFeed = false;
    inString = false;
    isEscaped = false;
    open = "none";
    depth = 0;
    return value;
  }

  function take(): JsonValue {
    if (open === "container" && within === "file" && buffer.size() > 2) isLinewise ??= !hasLineFeed;
    return drop();
  }

  const isInFile = (): boolean => within === "file";
  const seeksList = (): boolean => listName !== null && isInFile() && depth === 1;

  function* feed(piece: Buffer): Generator<JsonValue> {
    let start = 0;
    let offset = 0;

    function endValue(end: number): JsonValue {
      append(piece.subarray(start, end));
      return take();
    }

    for (; offset < piece.length; offset += 1) {
      const byte = piece[offset] ?? 0;
      if (open === "none") {
        if (byte === closeBracket && within === "list") within = "file";
        else if (byte === closeBracket && within === "list of object") {
          within = "rest of object";
          open = "container";
          depth = 1;
        } else if (byte === openBracket && isInFile()) within = "list";
        else if (byte === openBracket || byte === openBrace) {
          open = "container";
          depth = 1;
          start = offset;
          text = "";
          name = "";
        } else if (byte > 0x20 && byte !== comma) {
          open = "scalar";
          start = offset;
          inString = byte === quote;
        }
        continue;
      }
      if (byte === lineFeed) {
        hasLineFeed = true;
        if (open === "scalar" || (isLinewise === true && isInFile())) yield endValue(offset);
        continue;
      }
      if (inString) {
        if (byte === quote && !isEscaped) inString = false;
        else if (seeksList() && text.length < longestName) text += String.fromCharCode(byte);
        isEscaped = byte === backslash && !isEscaped;
        continue;
      }
      if (byte === quote) {
        inString = true;
        isEscaped = false;
        text = "";
        continue;
      }
      if (open === "scalar") {
        const isEnd = isInFile()
          ? byte === openBracket || byte === openBrace
          : byte === comma || byte === closeBracket;
        if (!isEnd) continue;
        yield endValue(offset);
        offset -= 1;
        continue;
      }
      if (byte === colon && seeksList()) {
        name = text;
      } else if (byte === comma && seeksList()) {
        name = "";
      } else if (byte === openBracket && seeksList() && name === listName) {
        drop();
        within = "list of object";
      } else if (byte === openBracket || byte === openBrace) {
        depth += 1;
      } else if (byte === closeBracket || byte === closeBrace) {
        depth -= 1;
        if (depth > 0) continue;
        if (within === "rest of object") {
          drop();
          within = "file";
        } else yield endValue(offset + 1);
      }
    }
    if (open !== "none") append(piece.subarray(start));
  }

  function end(): JsonValue | null {
    if (open === "none" && isInFile()) return null;
    if (isInFile() && (open === "scalar" || isLinewise === true)) return take();
    throw new Error("truncated within a list or object");
  }

  return { feed, end };
}
