import type { KeyListingResponse } from "../../../src/http/dashboard/contract/keys.ts";
import type { PastSearch } from "../pages/playground/query-history.ts";
import type { Page } from "../pages.tsx";

export type PaletteItem = {
  id: string;
  group: "Pages" | "Searches" | "Keys" | "Docs";
  title: string;
  /** Relative to /dashboard, except for docs. */
  address: string;
  isDocs: boolean;
};

const docs = [
  ["Documentation", "/docs"],
  ["Query language", "/docs/query-language"],
  ["API reference", "/docs/api"],
  ["Platforms", "/docs/platforms"],
  ["Credentials", "/docs/credentials"],
  ["Import", "/docs/import"],
  ["Errors", "/docs/errors"],
  ["Dashboard", "/docs/dashboard"],
] as const;

export function paletteItems({
  pages,
  searches,
  keys,
}: {
  pages: readonly Pick<Page, "path" | "title">[];
  searches: readonly PastSearch[];
  keys: readonly Pick<KeyListingResponse, "id" | "name">[];
}): readonly PaletteItem[] {
  return [
    ...pages.map(({ path, title }) => item("Pages", title, path)),
    ...searches.map(({ query, address }) => item("Searches", query, address)),
    ...keys.map(({ id, name }) => item("Keys", name, `/usage?key=${id}`)),
    ...docs.map(([title, address]) => ({ ...item("Docs", title, address), isDocs: true })),
  ];
}

const item = (group: PaletteItem["group"], title: string, address: string): PaletteItem => ({
  id: `${group} ${address}`,
  group,
  title,
  address,
  isDocs: false,
});

const maxMatches = 12;

/** Items with every word in their title or group; titles that start with the text come first. */
export function matchingItems(items: readonly PaletteItem[], text: string): readonly PaletteItem[] {
  const prefix = text.trim().toLowerCase();
  const words = prefix.split(/\s+/);
  const found = items.filter(({ title, group }) => {
    const searchableText = `${title} ${group}`.toLowerCase();
    return words.every((word) => searchableText.includes(word));
  });
  const prefixMatches = found.filter(({ title }) => title.toLowerCase().startsWith(prefix));
  return [...prefixMatches, ...found.filter((one) => !prefixMatches.includes(one))].slice(
    0,
    maxMatches,
  );
}
