/** Repeated matching text, then text that does not match, to cause backtracking. */
export function* hostileTexts(source: string, length: number): Generator<string> {
  const alphabet = parseAlphabet(source);
  const pumps = [...alphabet, ...alphabet.flatMap((text) => alphabet.map((other) => text + other))];
  const beginnings = ["", literalBeginning(source)];
  for (const pump of new Set([...pumps, ...readRuns(source)])) {
    for (const beginning of new Set(beginnings)) {
      const body = `${beginning}${pump.repeat(Math.ceil(length / pump.length))}`.slice(0, length);
      for (const end of ["", "\u0000", "!x"]) yield body + end;
    }
  }
}

const maxCharacters = 14;
const charactersByClass: Readonly<Record<string, readonly string[]>> = {
  d: ["1"],
  w: ["a", "_"],
  s: [" ", "\n"],
  S: ["x"],
  D: ["x"],
  W: ["-"],
  b: ["a", " "],
  p: ["a", "é", "京"],
  P: ["!"],
  t: ["\t"],
  n: ["\n"],
  r: ["\r"],
};

function parseAlphabet(source: string): string[] {
  const characters = new Set<string>();
  const withoutEscapes = source.replaceAll(
    /\\(u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|p\{[^}]*\}|.)/gi,
    (match, escaped) => {
      const kind = String(escaped).charAt(0);
      if (/^[ux]/.test(match.slice(1)) && match.length > 2) {
        characters.add(
          String.fromCodePoint(Number.parseInt(match.replaceAll(/[^0-9a-f]/gi, ""), 16)),
        );
      } else for (const text of charactersByClass[kind] ?? [String(escaped)]) characters.add(text);
      return "";
    },
  );
  if (/\.|\[\^/.test(withoutEscapes)) characters.add("x");
  for (const character of withoutEscapes.replaceAll(/[\\^$.*+?()[\]{}|]/g, ""))
    characters.add(character);
  const alphabet = [...characters].filter((character) => character !== "");
  const step = Math.max(1, alphabet.length / maxCharacters);
  return Array.from(
    { length: Math.min(alphabet.length, maxCharacters) },
    (_, index) => alphabet[Math.floor(index * step)] ?? "a",
  );
}

function readRuns(source: string): string[] {
  return [...source.matchAll(/[\w:/@#-]{3,}/g)].map(([word]) => word).slice(0, 6);
}

function literalBeginning(source: string): string {
  return /^\^?([\w:/@#<&" -]+)/.exec(source)?.[1]?.slice(0, -1) ?? "";
}
