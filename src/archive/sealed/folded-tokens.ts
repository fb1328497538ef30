// biome-ignore lint/suspicious/noControlCharactersInRegex: white space and control characters part tokens
const betweenTokens = /[\u0000-\u0020\u007f]+/;
const capitals = /[A-Z]/g;

export const foldedTokens = (text: string): string[] =>
  text
    .toWellFormed()
    .replace(capitals, (letter) => letter.toLowerCase())
    .split(betweenTokens)
    .filter((token) => token !== "");
