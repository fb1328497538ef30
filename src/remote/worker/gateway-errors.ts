import * as z from "zod";
import { stripControls } from "../../lib/controls.ts";
import { EarshotError, type EarshotErrorOptions } from "../../lib/errors.ts";
import type { FetchedResponse } from "../../lib/fetched-response.ts";
import { gatewaySignatureField } from "../protocol/gateway-response.ts";

const code = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);
const line = z
  .string()
  .max(4_096)
  .transform((text) => stripControls(text).replaceAll("\n", " "));

const problem = z.object({
  code,
  detail: line,
  hint: line.optional(),
  errors: z
    .array(z.object({ code, message: line }))
    .max(64)
    .default([]),
});

/** Statuses with which a gateway or proxy rejects requests temporarily. */
export const transientStatuses: readonly number[] = [429, 502, 503, 504];

/** No response, a transient status, or a response not from a gateway. */
export function unreachable(
  message: string,
  { hint = defaultHint, ...more }: EarshotErrorOptions = {},
): EarshotError {
  const options = { status: 503, retryable: true, hint, ...more };
  return new EarshotError("gateway_unreachable", message, options);
}

const defaultHint =
  "check the address and the gateway if the error persists; the node keeps retrying";

export function notFromGateway({ status, headers }: FetchedResponse, host: string): EarshotError {
  const isSigned = headers.has(gatewaySignatureField);
  const what = isSigned
    ? "signed by a key other than the gateway's, or for another request"
    : "not signed by the gateway";
  const message = `${host} returned ${status}, ${what}`;
  return unreachable(message, {
    hint: "use an https:// address and the same version on both sides: a proxy might be changing the responses",
    details: [{ code: isSigned ? "other_signature" : "not_signed", message }],
  });
}

export const isUnreachable = (error: unknown): error is EarshotError =>
  errorCode(error) === "gateway_unreachable";

export const errorCode = (error: unknown): string | null =>
  error instanceof EarshotError ? error.code : null;

export const findFailedCheck = (error: unknown): string | undefined =>
  error instanceof EarshotError ? error.details[0]?.code : undefined;

export function responseError(response: FetchedResponse, host: string): EarshotError {
  const { status } = response;
  const { data } = problem.safeParse(responseJson(response));
  if (data === undefined) return unreachable(`${host} returned ${status} and is not a gateway`);
  const { detail, hint, errors: details } = data;
  if (transientStatuses.includes(status)) {
    return unreachable(`the gateway is unavailable: ${detail}`);
  }
  return new EarshotError(data.code, detail, { status, details, ...(hint && { hint }) });
}

export function responseJson(response: FetchedResponse): unknown {
  try {
    return response.json();
  } catch {
    return null;
  }
}
