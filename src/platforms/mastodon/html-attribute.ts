import { decodeCharacters } from "./html-entities.ts";

const attributesLength = 20_000;

export function attributeOf(attributes: string, name: string): string {
  const form =
    /(?<![^\s=/"'>])([^\s=/"'>]{1,60})\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;
  for (const found of attributes.slice(0, attributesLength).matchAll(form)) {
    if (found[1]?.toLowerCase() !== name) continue;
    return decodeCharacters(found[2] ?? found[3] ?? found[4] ?? "").toWellFormed();
  }
  return "";
}
