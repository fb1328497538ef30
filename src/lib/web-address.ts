import { EarshotError } from "./errors.ts";

/** Errors: `address_refused`. */
export function readUrl(url: URL | string): URL {
  const parsed = URL.parse(String(url));
  if (parsed === null)
    throw refused(`${JSON.stringify(String(url).slice(0, 200))} is not a valid URL`);
  return parsed;
}

/** Errors: `address_refused` unless the URL is HTTP(S) without user name and password. */
export function requireWebAddress(url: URL): URL {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refused(`${url.protocol} addresses are not allowed`);
  }
  if (url.username !== "" || url.password !== "") {
    throw refused(`the URL of ${url.host} contains a user name or password`);
  }
  return url;
}

const refused = (message: string): EarshotError =>
  new EarshotError("address_refused", message, { status: 502 });
