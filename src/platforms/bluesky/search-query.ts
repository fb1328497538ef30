import type { Request } from "./search-alternatives.ts";

const maxQueryLength = 1_000;

/** `q` is required: without words it repeats another parameter. */
export function searchText(request: Request): string {
  const { words, tags, author, mentions, lang, domain } = request;
  if (words.length > 0) return withinLength(words);
  const [tag] = tags;
  if (tag !== undefined) return `#${tag}`;
  if (author !== null) return author.handle === null ? author.actor : `from:${author.handle}`;
  if (domain !== null) return `domain:${domain}`;
  if (mentions === null && lang !== null) return `lang:${lang}`;
  return "*";
}

/** Fewer words only widen the search. */
function withinLength(words: readonly string[]): string {
  let query = "";
  for (const word of words) {
    const longer = query === "" ? word : `${query} ${word}`;
    if (longer.length <= maxQueryLength) query = longer;
  }
  return query;
}
