import { isUtf8 } from "node:buffer";
import { shapeRefusal } from "../lib/bounded-json.ts";
import { messageOf } from "../lib/errors.ts";
import { createJsonMeter } from "../lib/json-shape.ts";
import { RecordFault } from "./import-record.ts";

/** The JSON value of a line. Throws `RecordFault` when it is no UTF-8, no JSON, or nested deeper than `maxDepth`, or more than may be parsed. */
export function parseJsonLine(bytes: Buffer, maxDepth: number): unknown {
  if (!isUtf8(bytes)) throw new RecordFault("not valid UTF-8");
  const shape = createJsonMeter()(bytes);
  if (shape.deepest > maxDepth) throw new RecordFault(`nested deeper than ${maxDepth} levels`);
  const refusal = shapeRefusal(shape);
  if (refusal !== null) throw new RecordFault(`not read: ${refusal}`);
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (fault) {
    throw new RecordFault(`not valid JSON: ${messageOf(fault)}`);
  }
}
