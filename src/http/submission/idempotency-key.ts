import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Idempotency } from "../../jobs/submissions/submission.ts";
import type { SearchPlatform } from "../../platforms/source.ts";
import type { Submission } from "../schemas/submission.ts";
import { invalidRequest } from "../schemas/validation.ts";

/** The hash is independent of the order of members. Null without a key. Errors: `invalid_request`. */
export function readIdempotency(
  headers: IncomingHttpHeaders,
  request: unknown,
): Idempotency | null {
  const key = headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key !== "string" || !/^[\x20-\x7e]{1,255}$/.test(key)) throw invalidKey();
  return { key, requestHash: createHash("sha256").update(canonicalJson(request)).digest() };
}

export const idempotentRequest = (platform: SearchPlatform, body: Submission) => ({
  platform,
  body: { type: body.type, arguments: body.arguments },
});

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(byName)) : part,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}

function invalidKey() {
  return invalidRequest([
    {
      code: "invalid_value",
      message: "expected 1 to 255 printable ASCII characters",
      hint: "send a new UUID with each search, and the same one to repeat it",
      pointer: "/idempotency-key",
    },
  ]);
}
