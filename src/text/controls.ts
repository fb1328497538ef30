/**
 * Without what could move the cursor or recolour the screen of whoever reads it: posts are written by strangers. Line breaks
 * stay.
 */
export function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) =>
    character === "\n" ? "\n" : character === "\t" ? " " : "",
  );
}
