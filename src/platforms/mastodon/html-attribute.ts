import { decodeCharacters } from "./html-entities.ts";

const maxAttributesLength = 20_000;

export function readAttribute(attributes: string, name: string): string {
  const pattern =
    /(?<![^\s=/"'>])([^\s=/"'>]{1,60})\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;
  for (const match of attributes.slice(0, maxAttributesLength).matchAll(pattern)) {
    if (match[1]?.toLowerCase() !== name) continue;
    return decodeCharacters(match[2] ?? match[3] ?? match[4] ?? "").toWellFormed();
  }
  return "";
}
