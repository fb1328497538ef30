import { EarshotError } from "./errors.ts";

export type RedirectStep = {
  url: URL;
  method: "GET" | "POST" | "DELETE";
  headers: Readonly<Record<string, string>>;
  body: string | null;
};

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/**
 * Sends only the header `accept` to another origin: others may contain credentials. Null if the
 * response is not a redirect. Errors: `address_refused` for an invalid URL, or a body for another
 * origin.
 */
export function nextRedirect(
  step: RedirectStep,
  status: number,
  location: string | null,
): RedirectStep | null {
  if (!redirectStatuses.has(status) || location === null) return null;
  const url = URL.parse(location, step.url.href);
  if (url === null) throw refusedError(step.url, "to an invalid URL");
  const keepsBody = status === 307 || status === 308;
  const isSameOrigin = url.origin === step.url.origin;
  if (keepsBody && step.body !== null && !isSameOrigin)
    throw refusedError(step.url, "a request body to another host");
  const allowedHeaders = isSameOrigin ? step.headers : pickFields(step.headers, ["accept"]);
  if (keepsBody) return { ...step, url, headers: allowedHeaders };
  const headers = isSameOrigin ? omitFields(allowedHeaders, ["content-type"]) : allowedHeaders;
  return { url, method: "GET", headers, body: null };
}

type Fields = Readonly<Record<string, string>>;

const pickFields = (headers: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => names.includes(name.toLowerCase())),
  );

const omitFields = (headers: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !names.includes(name.toLowerCase())),
  );

function refusedError(url: URL, where: string): EarshotError {
  return new EarshotError("address_refused", `${url.host} redirects ${where}`, { status: 502 });
}
