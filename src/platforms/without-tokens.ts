import { stripControls } from "../lib/controls.ts";

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

/** One line of up to 200 characters without apparent credentials. */
export function withoutTokens(output: unknown): string {
  if (typeof output !== "string") return "";
  const line = stripControls(truncate(output, maxInputLength)).replaceAll(/\s+/g, " ").trim();
  const clean = line.replaceAll(authorization, "$1 …").replaceAll(longRun, "…");
  return truncate(clean, maxOutputLength).toWellFormed();
}

/** Never cuts within a token, because the rest would not be recognised. */
function truncate(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).replace(lastRun, "")}…`;
}
