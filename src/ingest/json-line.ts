import { isUtf8 } from "node:buffer";
import { messageOf } from "../lib/errors.ts";
import { createJsonMeter } from "../lib/json-shape.ts";
import { RecordFault } from "./import-record.ts";

/** The JSON value of a line. Throws `RecordFault` when it is no UTF-8, no JSON, or nested deeper than `maxDepth`. */
export function parseJsonLine(bytes: Buffer, maxDepth: number): unknown {
  if (!isUtf8(bytes)) throw new RecordFault("not valid UTF-8");
  if (createJsonMeter()(bytes).deepest > maxDepth) {
    throw new RecordFault(`nested deeper than ${maxDepth} levels`);
  }
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (fault) {
    throw new RecordFault(`not valid JSON: ${messageOf(fault)}`);
  }
}
