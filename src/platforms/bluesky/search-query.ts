import type { Ask } from "./search-alternatives.ts";

const longestQuery = 1_000;

/**
 * The `q` of a request. It may not be left out: where no word is asked for, it says once more what one of the parameters says, as
 * people write it.
 */
export function queryOf(ask: Ask): string {
  const { words, tags, author, mentions, lang, domain } = ask;
  if (words.length > 0) return withinLength(words);
  const [tag] = tags;
  if (tag !== undefined) return `#${tag}`;
  if (author !== null) return author.handle === null ? author.actor : `from:${author.handle}`;
  if (domain !== null) return `domain:${domain}`;
  if (mentions === null && lang !== null) return `lang:${lang}`;
  return "*";
}

/** As many words as fit; fewer of them find more. */
function withinLength(words: readonly string[]): string {
  let query = "";
  for (const word of words) {
    const longer = query === "" ? word : `${query} ${word}`;
    if (longer.length <= longestQuery) query = longer;
  }
  return query;
}
