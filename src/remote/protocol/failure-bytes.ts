import * as z from "zod";
import type { LeaseFailure } from "../../jobs/lease.ts";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import { withoutControls } from "../../text/controls.ts";
import { answerRefused } from "./errors.ts";

const shape = z.strictObject({
  code: z.string().regex(/^[a-z0-9_]{1,64}$/),
  message: z.string().min(1).max(4_096),
  status: z.int().min(400).max(599),
  retryable: z.boolean(),
  hint: z.string().max(4_096).exactOptional(),
});

const mostBytes = 65_536;

/** Why there is no answer, as bytes. Texts beyond what is read are cut. */
export function failureBytes(failure: LeaseFailure): Uint8Array {
  const { code, message, status, retryable, hint } = failure;
  const told = { code, message: cut(message), status, retryable };
  return Buffer.from(JSON.stringify(hint === undefined ? told : { ...told, hint: cut(hint) }));
}

const cut = (text: string): string => text.slice(0, 4_096);

/** Reads why there is no answer; texts without control characters. Errors: `answer_refused` with `malformed`. */
export function readFailure(plain: Uint8Array): LeaseFailure {
  const read = plain.length > mostBytes ? null : parsed(plain);
  if (read === null) {
    throw answerRefused("malformed", "what is told of the failure is malformed");
  }
  const { hint, message, ...rest } = read;
  const told = { ...rest, message: withoutControls(message) };
  return hint === undefined ? told : { ...told, hint: withoutControls(hint) };
}

function parsed(plain: Uint8Array): z.infer<typeof shape> | null {
  try {
    return shape.parse(parseUntrustedJson(plain));
  } catch {
    return null;
  }
}
