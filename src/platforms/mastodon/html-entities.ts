/** Other named entities are left unchanged. */
const namedEntities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  iexcl: "¡",
  cent: "¢",
  pound: "£",
  yen: "¥",
  sect: "§",
  copy: "©",
  laquo: "«",
  raquo: "»",
  reg: "®",
  deg: "°",
  plusmn: "±",
  para: "¶",
  middot: "·",
  iquest: "¿",
  times: "×",
  divide: "÷",
  ndash: "–",
  mdash: "—",
  lsquo: "‘",
  rsquo: "’",
  sbquo: "‚",
  ldquo: "“",
  rdquo: "”",
  bdquo: "„",
  bull: "•",
  hellip: "…",
  prime: "′",
  lsaquo: "‹",
  rsaquo: "›",
  euro: "€",
  trade: "™",
  larr: "←",
  uarr: "↑",
  rarr: "→",
  darr: "↓",
  hearts: "♥",
  shy: "\u00ad",
  zwnj: "\u200c",
  zwj: "\u200d",
};
const entityPattern = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g;

/** Decodes entities only once. */
export function decodeCharacters(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(entityPattern, (entity, decimal, hexadecimal, name) => {
    if (name !== undefined)
      return Object.hasOwn(namedEntities, name) ? (namedEntities[name] ?? entity) : entity;
    const point = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    return isCharacter(point) ? String.fromCodePoint(point) : "\ufffd";
  });
}

const isCharacter = (point: number): boolean =>
  point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
