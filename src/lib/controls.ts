/**
 * Removes characters that could move a terminal's cursor or change its colours. Keeps line breaks.
 */
export function stripControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) =>
    character === "\n" ? "\n" : character === "\t" ? " " : "",
  );
}

/** Escapes control and format characters, including line breaks, as `\uXXXX`. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeAt(character, index)).join(""),
  );
}

const escapeAt = (text: string, index: number): string =>
  `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`;
