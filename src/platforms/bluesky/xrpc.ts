import { EarshotError } from "../../lib/errors.ts";
import type { FetchedAnswer, FetchOptions } from "../../lib/guarded-fetch.ts";
import { fieldsOf } from "../fields.ts";
import { withoutTokens } from "../without-tokens.ts";

/** A guarded way to ask; `tries` is 1 where a failure is an answer too. */
export type XrpcFetch = {
  get(url: URL, options?: FetchOptions & { tries?: number }): Promise<FetchedAnswer>;
};

type Parameters = Readonly<Record<string, string | number | readonly string[]>>;

/**
 * What a host refuses with: `error` is one of the names in the method's lexicon, `message` a sentence; either may be empty. Both
 * are without what may be secret.
 */
export type Refusal = { status: number; error: string; message: string };

/** The address of an XRPC method on a host; a list becomes a parameter that comes again and again. */
export function xrpcUrl(host: URL | string, method: string, parameters: Parameters): URL {
  const url = new URL(`/xrpc/${method}`, String(host));
  for (const [name, value] of Object.entries(parameters)) {
    const values = Array.isArray(value) ? value : [value];
    for (const item of values) url.searchParams.append(name, String(item));
  }
  return url;
}

/** The answer of a query as JSON, or the refusal. Errors: those of the fetch, and `answer_unreadable`. */
export async function query(
  fetch: XrpcFetch,
  url: URL,
): Promise<{ value: unknown } | { refusal: Refusal }> {
  const answer = await fetch.get(url, { headers: { accept: "application/json" } });
  return answer.status === 200 ? { value: answer.json() } : { refusal: refusalOf(answer) };
}

/** Reads the body of an answer that is no success; nothing throws. */
export function refusalOf(answer: Pick<FetchedAnswer, "status" | "json">): Refusal {
  const { status } = answer;
  try {
    return refusalIn(status, answer.json());
  } catch {
    return { status, error: "", message: "" };
  }
}

/** The same of a body that is parsed. */
export function refusalIn(status: number, json: unknown): Refusal {
  const { error, message } = fieldsOf(json);
  return { status, error: withoutTokens(error), message: withoutTokens(message) };
}

/** A refusal that nothing else can be made of. */
export function refused(host: string, { status, error, message }: Refusal): EarshotError {
  const said = [error, message].filter((part) => part !== "").join(": ");
  return new EarshotError(
    "upstream_refused",
    `${host} answers with status ${status}${said === "" ? "" : ` (${said})`}`,
    { status: 502 },
  );
}
