import { isUtf8 } from "node:buffer";
import { messageOf } from "../lib/errors.ts";
import { RecordFault } from "./import-record.ts";

/** The JSON value of a line. Throws `RecordFault` when it is no UTF-8, no JSON, or nested deeper than `maxDepth`. */
export function parseJsonLine(bytes: Buffer, maxDepth: number): unknown {
  if (!isUtf8(bytes)) throw new RecordFault("not valid UTF-8");
  // Looked at before parsing: the parser takes its time over a deep value.
  if (isDeeperThan(bytes, maxDepth)) throw new RecordFault(`nested deeper than ${maxDepth} levels`);
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (fault) {
    throw new RecordFault(`not valid JSON: ${messageOf(fault)}`);
  }
}

const [quote, backslash] = [0x22, 0x5c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

function isDeeperThan(bytes: Buffer, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (inString) {
      if (byte === backslash) index += 1;
      else if (byte === quote) inString = false;
    } else if (byte === quote) {
      inString = true;
    } else if (byte === openBracket || byte === openBrace) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (byte === closeBracket || byte === closeBrace) {
      depth -= 1;
    }
  }
  return false;
}
