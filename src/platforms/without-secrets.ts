import { stripControls } from "../lib/controls.ts";

/** Shorter values occur in any text. */
const shortestSecret = 6;

const longestReason = 300;

/** Also redacts URL-encoded and JSON forms. */
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
  // JSON may escape slashes.
  return [value, inAddress, inJson, inJson.replaceAll("/", "\\/")];
}

export function redactedReason(reason: string, secrets: Readonly<Record<string, string>>): string {
  const line = stripControls(withoutSecrets(reason, secrets)).replaceAll(/\s+/g, " ").trim();
  // Removing control characters may have joined a secret.
  return [...withoutSecrets(line, secrets)].slice(0, longestReason).join("");
}
