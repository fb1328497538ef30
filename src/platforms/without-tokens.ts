import { withoutControls } from "../text/controls.ts";

/** Longer than any sentence that a platform documents; of more the beginning is looked at. */
const mostRead = 4_000;
const mostShown = 200;

/** What tokens, keys and passwords are made of, as they are and as a form or an address holds them. */
const tokenText = String.raw`[\w.~+/=%-]`;
/** No word of a language is as long. */
const longRun = new RegExp(`${tokenText}{40,}`, "g");
/** What is behind the name of a scheme, as in a header; a word there, such as in `Bearer token`, is none. */
const authorization = new RegExp(
  String.raw`\b(basic|bearer|dpop)\s+(?![a-z]{1,16}(?!${tokenText}))${tokenText}+`,
  "gi",
);
const lastRun = new RegExp(`(?<!${tokenText})${tokenText}+$`);

/**
 * What a platform says, as it may stand in a message: one line of up to 200 characters without what looks like a credential,
 * as whoever refuses a request may repeat it. Empty for what is no text.
 */
export function withoutTokens(said: unknown): string {
  if (typeof said !== "string") return "";
  const line = withoutControls(cut(said, mostRead)).replaceAll(/\s+/g, " ").trim();
  const clean = line.replaceAll(authorization, "$1 …").replaceAll(longRun, "…");
  return cut(clean, mostShown).toWellFormed();
}

/** Not within a run of such characters: the rest of a token would be too short to be known as one. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(lastRun, "")}…`;
}
