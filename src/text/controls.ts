/**
 * Without what could move the cursor or recolour the screen of whoever reads it: posts are written by strangers. Line breaks
 * stay.
 */
export function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) =>
    character === "\n" ? "\n" : character === "\t" ? " " : "",
  );
}

/**
 * With everything that is not to be seen by itself written as JSON writes it, `\\u202e`: controls, line breaks, marks of
 * direction and what has no width. A text in JSON stays the same text.
 */
export function withUnseenEscaped(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escaped(character, index)).join(""),
  );
}

const escaped = (text: string, index: number): string =>
  `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`;
