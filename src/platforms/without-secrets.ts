import { stripControls } from "../lib/controls.ts";

/** Shorter values occur in any text. */
const minSecretLength = 6;

const maxReasonLength = 300;

/** Also URL-encoded and JSON forms. */
export function withoutSecrets(text: string, secrets: Readonly<Record<string, string>>): string {
  const forms = Object.values(secrets)
    .filter((value) => value.length >= minSecretLength)
    .flatMap(readForms)
    .toSorted((a, b) => b.length - a.length);
  return forms.reduce((redacted, form) => redacted.replaceAll(form, "…"), text);
}

function readForms(value: string): string[] {
  const urlEncoded = encodeURIComponent(value.toWellFormed());
  const inJson = JSON.stringify(value).slice(1, -1);
  // JSON may escape slashes.
  return [value, urlEncoded, inJson, inJson.replaceAll("/", "\\/")];
}

export function redactedReason(reason: string, secrets: Readonly<Record<string, string>>): string {
  const line = stripControls(withoutSecrets(reason, secrets)).replaceAll(/\s+/g, " ").trim();
  // Removing control characters may have joined a secret.
  return [...withoutSecrets(line, secrets)].slice(0, maxReasonLength).join("");
}
