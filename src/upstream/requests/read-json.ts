import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { shapeRefusal } from "../../lib/bounded-json.ts";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import { createJsonMeter } from "../../lib/json-shape.ts";
import { unreadableResponse } from "../../platforms/fields.ts";

/** Four times the nesting of the platforms' answers. */
const maxDepth = 64;
/** Bytes scanned between yields to the event loop. */
const sliceBytes = 1024 ** 2;

/**
 * Null for 204, 205 and refusals without JSON. Errors: `answer_unreadable`, also for more than
 * `maxValues` values, because parsing blocks the event loop.
 */
export async function readJson(
  host: string,
  response: FetchedResponse,
  maxValues: number,
): Promise<unknown> {
  const { status, headers, body } = response;
  if (status === 204 || status === 205) return null;
  const isRefusal = status >= 400;
  if (body.length === 0) {
    if (isRefusal) return null;
    throw unreadableResponse(host, "empty body");
  }
  await requireShape(host, body, maxValues);
  try {
    return JSON.parse(decodeText(body));
  } catch (error) {
    if (isRefusal) return null;
    throw unreadableResponse(host, errorReason(error, headers.get("content-type")));
  }
}

async function requireShape(host: string, body: Uint8Array, maxValues: number): Promise<void> {
  const measure = createJsonMeter();
  for (let from = 0; from < body.length; from += sliceBytes) {
    if (from > 0) await yieldToEventLoop();
    const shape = measure(body.subarray(from, from + sliceBytes));
    const { deepest, values } = shape;
    if (deepest > maxDepth) throw invalidShape(host, `nested deeper than ${maxDepth} levels`);
    if (values > maxValues) throw invalidShape(host, `more than ${maxValues} values`);
    const refusal = shapeRefusal({ ...shape, values: 0 });
    if (refusal !== null) throw invalidShape(host, refusal);
  }
}

const invalidShape = (host: string, why: string): EarshotError =>
  new EarshotError("answer_unreadable", `${host} sent an invalid response: ${why}`, {
    status: 502,
  });

const decoder = new TextDecoder();

const decodeText = (body: Uint8Array): string => decoder.decode(body);

/** The parser's message would quote the body. */
function errorReason(error: unknown, contentType: string | null): string {
  if (errorMessage(error).includes("end of JSON input")) return "truncated JSON";
  const type = /^[\w.+-]{1,50}\/[\w.+-]{1,50}/.exec(contentType ?? "")?.[0];
  return type === undefined || type.includes("json") ? "not JSON" : `${type} instead of JSON`;
}
