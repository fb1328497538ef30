// biome-ignore lint/suspicious/noControlCharactersInRegex: white space and control characters part tokens
const betweenTokens = /[\u0000-\u0020\u007f]+/;
const capitals = /[A-Z]/g;

/** Tokens folded as by FTS5's tokenizer (`segments/schema.ts`). */
export const foldedTokens = (text: string): string[] =>
  text
    .toWellFormed()
    .replace(capitals, (letter) => letter.toLowerCase())
    .split(betweenTokens)
    .filter((token) => token !== "");
