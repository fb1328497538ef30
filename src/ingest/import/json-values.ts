import { createRecordBytes } from "./record-bytes.ts";

/** One value of a file. Of one that is longer than allowed only the beginning is kept. */
export type JsonValue = { bytes: Buffer; isTooLong: boolean };

export type JsonSplitter = {
  /** The values that end within this piece of the file. */
  feed(piece: Buffer): Generator<JsonValue>;
  /** A last value that nothing ends but the file; null when there is none. Throws when the file breaks off within a list or a value. */
  end(): JsonValue | null;
};

export type JsonSplitterOptions = {
  maxValueBytes: number;
  /** The list of an object whose items are taken in place of the object, as `orderedItems`; null for none. */
  listName: string | null;
};

/** A longer name of a list is none that is looked for. */
const longestName = 64;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
const lineFeed = 0x0a;

/**
 * Cuts a file into JSON values, in one pass and with at most one value in memory: values one after the other, one a line or
 * not, and the items of a list in place of the list. It does not check them: what is no JSON becomes a value that cannot be
 * parsed. In a file whose first object takes one line a broken line ends with the line, and else with the file.
 */
export function createJsonSplitter({ maxValueBytes, listName }: JsonSplitterOptions): JsonSplitter {
  /** What the open value lies in: the file, a list, or an object of which a list was taken. */
  let within: "file" | "list" | "list of object" | "rest of object" = "file";
  let open: "none" | "scalar" | "container" = "none";
  /** Of open brackets and braces in the open value. */
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  const held = createRecordBytes(maxValueBytes, 0);
  let hasLineFeed = false;
  /** Whether objects take one line each, as the first one that is not empty does; null before it. */
  let isLinewise: boolean | null = null;
  /** The newest string of an object that may have the list, and the name before the newest colon. */
  let text = "";
  let name = "";

  function hold(piece: Buffer): void {
    if (within !== "rest of object") held.hold(piece);
  }

  function drop(): JsonValue {
    const value = held.take();
    hasLineFeed = false;
    inString = false;
    isEscaped = false;
    open = "none";
    depth = 0;
    return value;
  }

  function take(): JsonValue {
    if (open === "container" && within === "file" && held.size() > 2) isLinewise ??= !hasLineFeed;
    return drop();
  }

  const isInFile = (): boolean => within === "file";
  const seeksList = (): boolean => listName !== null && isInFile() && depth === 1;

  function* feed(piece: Buffer): Generator<JsonValue> {
    let start = 0;
    let at = 0;

    /** The value that ends before `end`. */
    function ended(end: number): JsonValue {
      hold(piece.subarray(start, end));
      return take();
    }

    for (; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
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
          start = at;
          text = "";
          name = "";
        } else if (byte > 0x20 && byte !== comma) {
          open = "scalar";
          start = at;
          inString = byte === quote;
        }
        continue;
      }
      if (byte === lineFeed) {
        hasLineFeed = true;
        if (open === "scalar" || (isLinewise === true && isInFile())) yield ended(at);
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
        yield ended(at);
        at -= 1;
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
        } else yield ended(at + 1);
      }
    }
    if (open !== "none") hold(piece.subarray(start));
  }

  function end(): JsonValue | null {
    if (open === "none" && isInFile()) return null;
    if (isInFile() && (open === "scalar" || isLinewise === true)) return take();
    throw new Error("it breaks off within a list or an object");
  }

  return { feed, end };
}
