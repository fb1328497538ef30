import * as z from "zod";
import { EarshotError } from "../../lib/errors.ts";
import type { FetchedAnswer } from "../../lib/fetched-answer.ts";
import { withoutControls } from "../../text/controls.ts";
import { gatewaySignatureField } from "../protocol/gateway-answer.ts";

const code = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);
const line = z
  .string()
  .max(4_096)
  .transform((text) => withoutControls(text).replaceAll("\n", " "));

/** What a node reads of a problem (RFC 9457). */
const problem = z.object({
  code,
  detail: line,
  hint: line.optional(),
  errors: z
    .array(z.object({ code, message: line }))
    .max(64)
    .optional(),
});

/** Answers that say nothing of the request, whoever gives them, only that the gateway, or what stands before it, does not serve it for the moment. */
export const passing: readonly number[] = [429, 502, 503, 504];

/** No answer came, or none that a gateway gives. Retryable. */
export function unreachable(message: string, cause?: unknown): EarshotError {
  return new EarshotError("gateway_unreachable", message, {
    status: 503,
    retryable: true,
    hint: "it is tried again; check the address and the gateway if it stays so",
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Who answered is not the gateway: its key has not signed what came. The check is `not_signed` or `other_signature`. */
export function notTheGateways({ status, headers }: FetchedAnswer, host: string): EarshotError {
  const [code, what] = headers.has(gatewaySignatureField)
    ? ["other_signature", "signed by another key than the gateway's, or for another request"]
    : ["not_signed", "not signed by the gateway"];
  const message = `${host} answers with ${status}, ${what}`;
  return new EarshotError("gateway_unreachable", message, {
    status: 503,
    retryable: true,
    hint: "something on the way answers in the gateway's place or changes what it says, or the two are of versions that do not fit: use an https:// address, and one version at both ends",
    details: [{ code, message }],
  });
}

export const isUnreachable = (fault: unknown): fault is EarshotError =>
  fault instanceof EarshotError && fault.code === "gateway_unreachable";

/** The code of a fault of ours; null for any other. */
export const codeOf = (fault: unknown): string | null =>
  fault instanceof EarshotError ? fault.code : null;

/** The check that refused, where a fault tells one. */
export const checkOf = (fault: unknown): string | undefined =>
  fault instanceof EarshotError ? fault.details[0]?.code : undefined;

/** What an answer other than 200 and 204 says, with the gateway's code; `gateway_unreachable` where it is of no gateway. */
export function faultOf(answer: FetchedAnswer, host: string): EarshotError {
  const { status } = answer;
  const read = problem.safeParse(jsonOf(answer));
  if (!read.success) return unreachable(`${host} answers with ${status}, not as a gateway does`);
  const { detail, hint, errors: details = [] } = read.data;
  if (passing.includes(status)) return unreachable(`the gateway is not able to answer: ${detail}`);
  return new EarshotError(read.data.code, detail, {
    status,
    details: details.map((one) => ({ code: one.code, message: one.message })),
    ...(hint === undefined ? {} : { hint }),
  });
}

function jsonOf(answer: FetchedAnswer): unknown {
  try {
    return answer.json();
  } catch {
    return null;
  }
}
