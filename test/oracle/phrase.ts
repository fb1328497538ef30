import type { AnalyzedPost } from "./analyze.ts";
import type { Position } from "./terms.ts";
import { literalPattern } from "./text.ts";

/** A run-end sign precedes the next token. */
function searched(of: readonly Position[]): string {
  return of
    .map((position, at) => {
      if (position.kind === "any") return String.raw`(?:\[[^\[\]\n]*\]|\{[^{}\n]*\})\|?`;
      if (position.kind !== "run") return literalPattern(`[${position.text}]`);
      const characters = position.characters.map((one) => literalPattern(`{${one}}`)).join("");
      const next = of[at + 1];
      if (!next) return characters;
      return `${characters}\\|${next.kind === "any" ? "?" : ""}`;
    })
    .join("");
}

function literal(of: readonly Position[]): string {
  return of
    .map((position, at) => {
      if (position.kind === "any") return "";
      if (position.kind !== "run") return `[${position.text}]`;
      const characters = position.characters.map((one) => `{${one}}`).join("");
      return at === of.length - 1 ? characters : `${characters}|`;
    })
    .join("");
}

export function phraseOf(of: readonly Position[]): ((post: AnalyzedPost) => boolean) | undefined {
  const [first] = of;
  if (!first) return undefined;
  if (of.some((position) => position.kind === "any")) {
    const form = new RegExp(searched(of), "u");
    return ({ words }) => form.test(words);
  }
  const sought = literal(of);
  if (of.length === 1 && first.kind === "emoji") {
    return ({ words, alone }) => words.includes(sought) || alone.includes(sought);
  }
  return ({ words }) => words.includes(sought);
}
