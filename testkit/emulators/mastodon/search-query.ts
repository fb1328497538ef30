/** Words, phrases and `name:value`, each required or excluded. */
export type SearchQuery = { terms: readonly Term[]; filters: readonly Filter[] };
type Term = { kind: "word" | "phrase" | "hashtag"; text: string; isExcluded: boolean };
type Filter = { name: string; value: string; isExcluded: boolean };

const filterNames: ReadonlySet<string> = new Set([
  "from",
  "language",
  "has",
  "is",
  "before",
  "after",
  "during",
  "in",
]);

const termPattern = /([+-]?)(?:"([^"]*)"|([a-z]+):(\S+)|(\S+))/g;

export function readSearchQuery(text: string): SearchQuery {
  const terms: Term[] = [];
  const filters: Filter[] = [];
  for (const [, sign = "", phrase, name, value, word] of text.matchAll(termPattern)) {
    const isExcluded = sign === "-";
    if (phrase !== undefined) terms.push({ kind: "phrase", text: phrase, isExcluded });
    else if (name !== undefined && value !== undefined && filterNames.has(name)) {
      filters.push({ name, value, isExcluded });
    } else {
      const term = word ?? `${name}:${value}`;
      const kind = term.startsWith("#") ? "hashtag" : "word";
      terms.push({ kind, text: term.replace(/^#/, ""), isExcluded });
    }
  }
  return { terms, filters };
}

export const splitWords = (text: string): string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}_]+(?:['’][\p{L}\p{N}_]+)*/gu) ?? [];

/** Drops the ending, as the index does. */
export const stemWord = (word: string): string =>
  word.replace(/['’]s$/, "").replace(/(?:es|s|ing|ed)$/, "");
