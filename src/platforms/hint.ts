const longestHint = 4;

/** Lets the owner recognise a secret; at most a quarter of it. */
export function hintOf(secret: string): string {
  const characters = [...secret];
  return characters.slice(0, Math.min(longestHint, Math.floor(characters.length / 4))).join("");
}
