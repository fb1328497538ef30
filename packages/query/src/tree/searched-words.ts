import { decodeEntities, foldWord } from "../text/characters.ts";
import { splitIntoRuns } from "../text/runs.ts";

/** The index may shorten longer words. */
const maxWordLength = 20;

/** Null if there are none, one is too long, or they equal the text. Preserves a separate `*`. */
export function searchedWords(text: string): string | null {
  const decoded = decodeEntities(text).toWellFormed();
  const parts = decoded.split(/\s+/u).filter((part) => part !== "");
  const words = parts.flatMap((part) => (part === "*" || part === "＊" ? ["*"] : splitWords(part)));
  const first = words.findIndex((word) => word !== "*");
  const last = words.findLastIndex((word) => word !== "*");
  const trimmedWords = words.slice(Math.max(first, 0), last + 1);
  if (
    trimmedWords.length === 0 ||
    trimmedWords.some((word) => Array.from(word).length > maxWordLength)
  ) {
    return null;
  }
  const joined = trimmedWords.join(" ");
  const normalizedText = parts.join(" ");
  return joined === normalizedText || joined === foldWord(normalizedText) ? null : joined;
}

const splitWords = (part: string): string[] =>
  splitIntoRuns(part).map((run) => (typeof run === "string" ? run : run.join("")));
