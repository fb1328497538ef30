import { stripControls } from "../../lib/controls.ts";
import { credentialInvalid, credentialRefused } from "../credential-errors.ts";

/** From a host, handle or address. Errors: `credential_invalid`. */
export function givenServer(given: string | undefined): string {
  const written = given?.trim() ?? "";
  const address = /^https?:\/\//i.test(written)
    ? written
    : `https://${written.replace(/^@?.*@/, "")}`;
  const url = written === "" || written.length > 500 ? null : URL.parse(address);
  if (
    url !== null &&
    url.username === "" &&
    /^(?:[^.:]+\.[^.]|localhost$|\[|.*\d$)/.test(url.hostname)
  ) {
    return url.origin;
  }
  throw credentialInvalid(
    `host: ${stripControls(written).slice(0, 100) || "the value"} is not a server`,
    "use a host, such as mastodon.social",
  );
}

/** Errors: `credential_invalid`. */
export function givenText(given: string | undefined, field: string): string {
  const written = given?.trim() ?? "";
  if (/^[\x21-\x7e]{1,2000}$/.test(written)) return written;
  const found = written === "" ? "a value is required" : "invalid characters";
  throw credentialInvalid(`${field}: ${found}`, `copy the ${field} exactly as the server shows it`);
}

/** Errors: `credential_refused`. */
export function requireOrigin(url: URL, origin: string): void {
  if (url.origin === origin) return;
  throw credentialRefused(`this credential is for ${origin} only`);
}
