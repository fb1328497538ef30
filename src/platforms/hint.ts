const maxHintLength = 4;

/** The start of a secret, at most a quarter, by which its owner can recognise it. */
export function secretHint(secret: string): string {
  const characters = [...secret];
  return characters.slice(0, Math.min(maxHintLength, Math.floor(characters.length / 4))).join("");
}
