import { stripControls } from "../lib/controls.ts";

/** Shorter values occur in ordinary text. */
const minSecretLength = 6;

const maxReasonLength = 300;

/** Also redacts URL-encoded and JSON forms. */
export function withoutSecrets(text: string, secrets: Readonly<Record<string, string>>): string {
  const forms = Object.values(secrets)
    .filter((value) => value.length >= minSecretLength)
    .flatMap(listForms)
    .toSorted((a, b) => b.length - a.length);
  return forms.reduce((redacted, form) => redacted.replaceAll(form, "…"), text);
}

function listForms(value: string): string[] {
  const urlEncoded = encodeURIComponent(value.toWellFormed());
  const jsonForm = JSON.stringify(value).slice(1, -1);
  // JSON may escape slashes.
  return [value, urlEncoded, jsonForm, jsonForm.replaceAll("/", "\\/")];
}

export function redactedReason(reason: string, secrets: Readonly<Record<string, string>>): string {
  const line = stripControls(withoutSecrets(reason, secrets)).replaceAll(/\s+/g, " ").trim();
  // Removing control characters may have joined a secret.
  return [...withoutSecrets(line, secrets)].slice(0, maxReasonLength).join("");
}

const maxInputLength = 4_000;
const maxOutputLength = 200;

const tokenText = String.raw`[\w.~+/=%-]`;
const longRun = new RegExp(`${tokenText}{40,}`, "g");
/** A plain word after the scheme is not a credential. */
const authorization = new RegExp(
  String.raw`\b(basic|bearer|dpop)\s+(?![a-z]{1,16}(?!${tokenText}))${tokenText}+`,
  "gi",
);
const lastRun = new RegExp(`(?<!${tokenText})${tokenText}+$`);

/** Returns one short line without apparent credentials. */
export function withoutTokens(output: unknown): string {
  if (typeof output !== "string") return "";
  const line = stripControls(truncate(output, maxInputLength)).replaceAll(/\s+/g, " ").trim();
  const redactedText = line.replaceAll(authorization, "$1 …").replaceAll(longRun, "…");
  return truncate(redactedText, maxOutputLength).toWellFormed();
}

/** Never cuts within a token, because the rest would not be recognised. */
function truncate(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).replace(lastRun, "")}…`;
}
