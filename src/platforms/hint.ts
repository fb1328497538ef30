const longestHint = 4;

/** The first characters of a secret, by which its owner knows it again; never more than a quarter of it. */
export function hintOf(secret: string): string {
  const characters = [...secret];
  return characters.slice(0, Math.min(longestHint, Math.floor(characters.length / 4))).join("");
}
