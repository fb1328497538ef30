import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { jsonBounds, shapeRefusal } from "../../lib/bounded-json.ts";
import { createJsonMeter } from "../../lib/json-shape.ts";
import { problem } from "../problems/write-problem.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Throws to reject the request. */
    checkBody?: (request: FastifyRequest, body: Buffer) => void;
  }
}

/** Reading larger bodies yields to the event loop between the steps. */
const largeBodyBytes = 1_048_576;

/** Only larger bodies are measured: others cannot block the event loop. */
const minMeasuredBytes = 16_384;

/**
 * Accepts JSON in UTF-8 (RFC 8259). Rejects the name `__proto__`, and duplicate names, which
 * parsers resolve differently.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    // Some clients send a content type even without a body.
    async (request: FastifyRequest, body: Buffer) => {
      const { config, schema } = request.routeOptions;
      const yieldIfLarge = () => (body.length < largeBodyBytes ? undefined : yieldToEventLoop());
      config.checkBody?.(request, body);
      await yieldIfLarge();
      if (schema?.body === undefined && body.length === 0) return undefined;
      const parsed = parseBody(body);
      await yieldIfLarge();
      return parsed;
    },
  );
}

function parseBody(body: Buffer): unknown {
  if (body.length === 0) throw problem("invalid_json", "the body is empty, expected a JSON object");
  if (body.length > minMeasuredBytes) requireBoundedShape(body);
  const text = decodeText(body);
  let nameCount = 0;
  function checkName(this: unknown, name: string, value: unknown): unknown {
    if (name === "__proto__") throw forbiddenName();
    if (!Array.isArray(this)) nameCount += 1;
    return value;
  }
  try {
    const parsed: unknown = JSON.parse(text, checkName);
    // The reviver is also called for the root, which has no name in the text.
    if (nameCount - 1 < countNames(text)) throw repeatedName();
    return parsed;
  } catch (error) {
    if (error instanceof SyntaxError) throw notJson(error.message);
    if (error instanceof RangeError) throw tooDeep();
    throw error;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decodeText(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw problem("invalid_json", "the body is not UTF-8", { hint: "send the body as UTF-8" });
  }
}

/** Counts strings followed by a colon. */
function countNames(text: string): number {
  let nameCount = 0;
  for (let index = text.indexOf('"'); index >= 0; index = text.indexOf('"', index)) {
    index = stringEnd(text, index + 1);
    while (" \t\r\n".includes(text.charAt(index)) && index < text.length) index += 1;
    if (text[index] === ":") nameCount += 1;
  }
  return nameCount;
}

function stringEnd(text: string, from: number): number {
  const quote = text.indexOf('"', from);
  if (text[quote - 1] !== "\\") return quote + 1;
  let offset = from;
  while (text[offset] !== '"') offset += text[offset] === "\\" ? 2 : 1;
  return offset + 1;
}

function requireBoundedShape(body: Buffer): void {
  const shape = createJsonMeter()(body);
  if (shape.deepest > jsonBounds.deepest) throw tooDeep();
  const refusal = shapeRefusal(shape);
  if (refusal === null) return;
  throw problem("invalid_request", `the body is too complex: ${refusal}`, {
    hint: "split it into several requests",
  });
}

function tooDeep() {
  return problem("invalid_json", "the body is nested too deeply");
}

function repeatedName() {
  return problem("invalid_request", "an object in the body has a duplicate name", {
    hint: "write each name once",
  });
}

function forbiddenName() {
  return problem("invalid_request", "the name __proto__ is not allowed in a body", {
    hint: "leave it out",
  });
}

function notJson(message: string) {
  const reason = /^.*?(?=,? (?:in JSON|"|\.\.\."|at position)|$)/.exec(message)?.[0] ?? message;
  const position = /at position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0];
  const text = reason.charAt(0).toLowerCase() + reason.slice(1);
  return problem(
    "invalid_json",
    `the body is not JSON: ${position ? `${text} ${position}` : text}`,
    {
      hint: "check quotes, commas and brackets; a quote inside a string needs a backslash",
    },
  );
}
