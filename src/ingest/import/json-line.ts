import { isUtf8 } from "node:buffer";
import { shapeRefusal, smallBytes } from "../../lib/bounded-json.ts";
import { errorMessage } from "../../lib/errors.ts";
import { createJsonMeter } from "../../lib/json-shape.ts";
import { RecordError } from "./record.ts";

/** Throws `RecordError`, also beyond `maxDepth` or the parser's limits. */
export function parseJsonLine(bytes: Buffer, maxDepth: number): unknown {
  if (!isUtf8(bytes)) throw new RecordError("not valid UTF-8");
  if (bytes.length > smallBytes || !hasFewOpenings(bytes, maxDepth)) requireShape(bytes, maxDepth);
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw new RecordError(`not valid JSON: ${errorMessage(error)}`);
  }
}

function requireShape(bytes: Buffer, maxDepth: number): void {
  const shape = createJsonMeter()(bytes);
  if (shape.deepest > maxDepth) throw new RecordError(`nested deeper than ${maxDepth} levels`);
  const refusal = shapeRefusal(shape);
  if (refusal !== null) throw new RecordError(`too complex: ${refusal}`);
}

const openings = ["{", "["].map((character) => character.charCodeAt(0));

function hasFewOpenings(bytes: Buffer, max: number): boolean {
  let found = 0;
  for (const opening of openings) {
    for (
      let index = bytes.indexOf(opening);
      index !== -1;
      index = bytes.indexOf(opening, index + 1)
    ) {
      found += 1;
      if (found > max) return false;
    }
  }
  return true;
}
