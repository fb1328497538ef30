import type { AnalyzedPost } from "./analyze.ts";
import type { Position } from "./terms.ts";
import { literalPattern } from "./text.ts";

/** A run that precedes another token ends with `|`. */
function phrasePattern(positions: readonly Position[]): string {
  return positions
    .map((position, index) => {
      if (position.kind === "any") return String.raw`(?:\[[^\[\]\n]*\]|\{[^{}\n]*\})\|?`;
      if (position.kind !== "run") return literalPattern(`[${position.text}]`);
      const characters = position.characters
        .map((character) => literalPattern(`{${character}}`))
        .join("");
      const next = positions[index + 1];
      if (!next) return characters;
      return `${characters}\\|${next.kind === "any" ? "?" : ""}`;
    })
    .join("");
}

function phraseText(positions: readonly Position[]): string {
  return positions
    .map((position, index) => {
      if (position.kind === "any") return "";
      if (position.kind !== "run") return `[${position.text}]`;
      const characters = position.characters.map((character) => `{${character}}`).join("");
      return index === positions.length - 1 ? characters : `${characters}|`;
    })
    .join("");
}

export function compilePhrase(
  positions: readonly Position[],
): ((post: AnalyzedPost) => boolean) | undefined {
  const [first] = positions;
  if (!first) return undefined;
  if (positions.some((position) => position.kind === "any")) {
    const pattern = new RegExp(phrasePattern(positions), "u");
    return ({ words }) => pattern.test(words);
  }
  const text = phraseText(positions);
  if (positions.length === 1 && first.kind === "emoji") {
    return ({ words, untonedEmoji }) => words.includes(text) || untonedEmoji.includes(text);
  }
  return ({ words }) => words.includes(text);
}
