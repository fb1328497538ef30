// biome-ignore lint/suspicious/noControlCharactersInRegex: white space and control characters part tokens
const betweenTokens = /[\u0000-\u0020\u007f]+/;
const capitals = /[A-Z]/g;

/** The tokens of a text as the tokenizer of FTS5 folds them (`segments/schema.ts`); none where nothing is left of it. */
export const foldedTokens = (text: string): string[] =>
  text
    .toWellFormed()
    .replace(capitals, (letter) => letter.toLowerCase())
    .split(betweenTokens)
    .filter((token) => token !== "");
