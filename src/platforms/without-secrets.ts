import { withoutControls } from "../text/controls.ts";

/** Shorter values, such as a version or a port, are found in any text. */
const shortestSecret = 6;

const longestReason = 300;

/** A text in which nothing of what is secret stands any more, neither as it is nor as an address, a form or JSON holds it. */
export function withoutSecrets(text: string, secrets: Readonly<Record<string, string>>): string {
  const forms = Object.values(secrets)
    .filter((value) => value.length >= shortestSecret)
    .flatMap(formsOf)
    .toSorted((one, other) => other.length - one.length);
  return forms.reduce((left, form) => left.replaceAll(form, "…"), text);
}

function formsOf(value: string): string[] {
  const inAddress = encodeURIComponent(value.toWellFormed());
  const inJson = JSON.stringify(value).slice(1, -1);
  // JSON may have a slash escaped.
  return [value, inAddress, inJson, inJson.replaceAll("/", "\\/")];
}

/** A reason as it is kept and shown: one line, not long, nothing secret in it. */
export function shownReason(reason: string, secrets: Readonly<Record<string, string>>): string {
  const line = withoutControls(withoutSecrets(reason, secrets)).replaceAll(/\s+/g, " ").trim();
  // What is taken out of a text may have stood within what is secret.
  return [...withoutSecrets(line, secrets)].slice(0, longestReason).join("");
}
