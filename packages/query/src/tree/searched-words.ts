import { foldWord } from "../text/fold.ts";
import { decodeEntities } from "../text/html.ts";
import { runsOf } from "../text/runs.ts";

/** Longer words may be indexed in an unreadable, shortened form. */
const longestWord = 20;

/**
 * The words that a search for the text uses, separated by spaces; null if equal to the text. A separate `*` (any one word of a
 * phrase) is preserved.
 */
export function searchedWords(text: string): string | null {
  const decoded = decodeEntities(text).toWellFormed();
  const parts = decoded.split(/\s+/u).filter((part) => part !== "");
  const words = parts.flatMap((part) => (part === "*" || part === "＊" ? ["*"] : wordsOf(part)));
  const first = words.findIndex((word) => word !== "*");
  const last = words.findLastIndex((word) => word !== "*");
  const searched = words.slice(Math.max(first, 0), last + 1);
  if (searched.length === 0 || searched.some((word) => Array.from(word).length > longestWord)) {
    return null;
  }
  const joined = searched.join(" ");
  const written = parts.join(" ");
  return joined === written || joined === foldWord(written) ? null : joined;
}

const wordsOf = (part: string): string[] =>
  runsOf(part).map((run) => (typeof run === "string" ? run : run.join("")));
