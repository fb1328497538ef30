import { stripControls } from "../../lib/controls.ts";
import type { Secrets } from "../credential.ts";
import { credentialInvalid, credentialRefused } from "../credential-errors.ts";

/** Reads a host, handle or URL. Errors: `credential_invalid`. */
export function readServerOrigin(value: string | undefined): string {
  const text = value?.trim() ?? "";
  const address = /^https?:\/\//i.test(text) ? text : `https://${text.replace(/^@?.*@/, "")}`;
  const url = text === "" || text.length > 500 ? null : URL.parse(address);
  if (
    url !== null &&
    url.username === "" &&
    /^(?:[^.:]+\.[^.]|localhost$|\[|.*\d$)/.test(url.hostname)
  ) {
    return url.origin;
  }
  throw credentialInvalid(
    `host: ${stripControls(text).slice(0, 100) || "the value"} is not a server`,
    "use a host, such as mastodon.social",
  );
}

/** Errors: `credential_invalid`. */
export function requireText(value: string | undefined, field: string): string {
  const text = value?.trim() ?? "";
  if (/^[\x21-\x7e]{1,2000}$/.test(text)) return text;
  const problem = text === "" ? "a value is required" : "invalid characters";
  throw credentialInvalid(
    `${field}: ${problem}`,
    `copy the ${field} exactly as the server shows it`,
  );
}

/** Errors: `credential_refused`. */
export function requireOrigin(url: URL, origin: string): void {
  if (url.origin === origin) return;
  throw credentialRefused(`this credential is for ${origin} only`);
}

/** An application's key and secret are never released. */
export const releasedToken = ({ token }: Secrets): Secrets | null =>
  token === undefined ? null : { token };
