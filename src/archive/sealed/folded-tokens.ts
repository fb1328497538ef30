// biome-ignore lint/suspicious/noControlCharactersInRegex: white space and control characters separate tokens
const separators = /[\u0000-\u0020\u007f]+/;
const capitals = /[A-Z]/g;

export const foldedTokens = (text: string): string[] =>
  text
    .toWellFormed()
    .replace(capitals, (letter) => letter.toLowerCase())
    .split(separators)
    .filter((token) => token !== "");
