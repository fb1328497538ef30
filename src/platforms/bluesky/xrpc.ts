import { EarshotError } from "../../lib/errors.ts";
import type { FetchedResponse, FetchOptions } from "../../lib/guarded-fetch.ts";
import { asFields } from "../fields.ts";
import { withoutTokens } from "../without-secrets.ts";

/** Pass `maxTries: 1` when a failure is itself a useful outcome. */
export type XrpcFetch = {
  get(url: URL, options?: FetchOptions & { maxTries?: number }): Promise<FetchedResponse>;
};

type Parameters = Readonly<Record<string, string | number | readonly string[]>>;

/** `error` and `message` may be empty. Possible secrets are redacted. */
export type Refusal = { status: number; error: string; message: string };

export function xrpcUrl(host: URL | string, method: string, parameters: Parameters): URL {
  const url = new URL(`/xrpc/${method}`, String(host));
  for (const [name, value] of Object.entries(parameters)) {
    const values = Array.isArray(value) ? value : [value];
    for (const item of values) url.searchParams.append(name, String(item));
  }
  return url;
}

export async function query(
  fetch: XrpcFetch,
  url: URL,
): Promise<{ value: unknown } | { refusal: Refusal }> {
  const response = await fetch.get(url, { headers: { accept: "application/json" } });
  return response.status === 200 ? { value: response.json() } : { refusal: readRefusal(response) };
}

export function readRefusal(response: Pick<FetchedResponse, "status" | "json">): Refusal {
  const { status } = response;
  try {
    return parseRefusal(status, response.json());
  } catch {
    return { status, error: "", message: "" };
  }
}

export function parseRefusal(status: number, json: unknown): Refusal {
  const { error, message } = asFields(json);
  return { status, error: withoutTokens(error), message: withoutTokens(message) };
}

export function refusalError(host: string, { status, error, message }: Refusal): EarshotError {
  const reason = [error, message].filter((part) => part !== "").join(": ");
  return new EarshotError(
    "upstream_refused",
    `${host} returned ${status}${reason === "" ? "" : ` (${reason})`}`,
    { status: 502 },
  );
}
