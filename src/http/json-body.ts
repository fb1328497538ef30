import type { FastifyInstance } from "fastify";
import { problem } from "./problem-writer.ts";

/**
 * Bodies are JSON in UTF-8 (RFC 8259). What is not is refused with its place where that is known, and so are the names that
 * mean something else to JavaScript, wherever they stand.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (_request: unknown, body: Buffer) => parseBody(body),
  );
}

function parseBody(body: Buffer): unknown {
  if (body.length === 0) throw problem("invalid_json", "the body is empty, expected a JSON object");
  try {
    return JSON.parse(textOf(body), refuseForbiddenName);
  } catch (error) {
    if (error instanceof SyntaxError) throw notJson(error.message);
    if (error instanceof RangeError) throw problem("invalid_json", "the body nests too deeply");
    throw error;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function textOf(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw problem("invalid_json", "the body is not UTF-8", { hint: "send the body as UTF-8" });
  }
}

function refuseForbiddenName(name: string, value: unknown): unknown {
  if (name !== "__proto__") return value;
  throw problem("invalid_request", "the name __proto__ is not taken anywhere in a body", {
    hint: "leave it out",
  });
}

/** The parser says what and, for some faults, where; around it stands the text itself, which the caller has. */
function notJson(message: string) {
  const what = /^.*?(?=,? (?:in JSON|"|\.\.\."|at position)|$)/.exec(message)?.[0] ?? message;
  const place = /at position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0];
  const fault = what.charAt(0).toLowerCase() + what.slice(1);
  return problem("invalid_json", `the body is not JSON: ${place ? `${fault} ${place}` : fault}`, {
    hint: "check quotes, commas and brackets; a quote inside a string needs a backslash",
  });
}
