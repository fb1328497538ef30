import { isOperatorName, type Lexeme, lex, parseQueryLeniently } from "@earshot/query";
import {
  type Diagnostic,
  printQuery,
  type QueryNode,
  readSource,
  textBetween,
} from "@earshot/query/tree";

/** The pieces add up to the query. */
type Piece = { text: string; start: number; look: string };

export type QueryReading = {
  tree: QueryNode | null;
  /** Errors first, then by position. Offsets are in code points. */
  diagnostics: readonly Diagnostic[];
  pieces: readonly Piece[];
  /** Null if nothing was parsed. */
  canonical: string | null;
  isEmpty: boolean;
  hasError: boolean;
};

/** Parses a query as the server does. */
export function readQuery(text: string, maxLength: number): QueryReading {
  const isEmpty = text.trim() === "";
  const { tree, diagnostics } = isEmpty
    ? { tree: null, diagnostics: [] }
    : parseQueryLeniently(text, { maxLength });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const warnings = diagnostics.filter(({ severity }) => severity === "warning");
  const orderedDiagnostics = [...errors, ...warnings];
  return {
    tree,
    diagnostics: orderedDiagnostics,
    pieces: parsePieces(text, orderedDiagnostics),
    canonical: tree === null ? null : printQuery(tree),
    isEmpty,
    hasError: errors.length > 0,
  };
}

/** For methods that do not search: an account, a post or a Space, which the server reads. */
export function readTargetText(text: string, isNeeded: boolean): QueryReading {
  return {
    tree: null,
    diagnostics: [],
    pieces: [{ text, start: 0, look: "" }],
    canonical: null,
    isEmpty: isNeeded && text.trim() === "",
    hasError: false,
  };
}

/** Requires a query without errors; much faster than reading it. */
export const validPieces = (text: string): readonly Piece[] => parsePieces(text, []);

type Look = { start: number; end: number; look: string };

function parsePieces(text: string, diagnostics: readonly Diagnostic[]): Piece[] {
  const source = readSource(text);
  const length = source.characters.length;
  const looks = lex(source).lexemes.flatMap((lexeme) => getLooks(lexeme, source));
  const warnings = diagnostics.map(
    ({ offset, length, severity }): Look => ({
      start: offset,
      end: offset + length,
      look: severity === "error" ? "t-error" : "t-note",
    }),
  );
  const edges = new Set([0, length]);
  for (const { start, end } of [...looks, ...warnings]) {
    edges.add(Math.min(start, length));
    edges.add(Math.min(end, length));
  }
  const cuts = [...edges].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((start, index) => {
    const end = cuts[index + 1] ?? length;
    const ownLook = looks.find((look) => look.start <= start && look.end >= end);
    const warning = warnings.find((look) => look.start <= start && look.end >= end);
    const look = [ownLook?.look, warning?.look].filter((name) => name !== undefined).join(" ");
    return { text: textBetween(source, start, end), start, look };
  });
}

function getLooks(lexeme: Lexeme, source: ReturnType<typeof readSource>): Look[] {
  const { start, end } = lexeme;
  if (lexeme.kind === "phrase") return [{ start, end, look: "t-str" }];
  if (lexeme.kind === "or" || lexeme.kind === "and") return [{ start, end, look: "t-or" }];
  if (lexeme.kind === "not" || lexeme.kind === "minus") return [{ start, end, look: "t-neg" }];
  if (lexeme.kind !== "term") return [];
  const sigil = source.folded[start] ?? "";
  if ("#@$".includes(sigil) && end > start + 1) return [{ start, end: start + 1, look: "t-op" }];
  const colon = source.folded.indexOf(":", start);
  if (colon < 0 || colon >= end) return [];
  const name = source.folded.slice(start, colon).join("");
  return isOperatorName(name) ? [{ start, end: colon + 1, look: "t-op" }] : [];
}

/** The text around a diagnostic, and carets below its span. */
export function excerptWithCarets(
  text: string,
  { offset, length }: Diagnostic,
): { line: string; carets: string } {
  const characters = Array.from(text, (character) => (/\s/u.test(character) ? " " : character));
  const from =
    characters.length <= maxExcerptLength
      ? 0
      : Math.max(0, offset - Math.floor(maxExcerptLength / 3));
  const to = Math.min(characters.length, from + maxExcerptLength);
  const lead = from > 0 ? "…" : "";
  const trail = to < characters.length ? "…" : "";
  const markedLength = Math.max(1, Math.min(offset + length, to) - offset);
  return {
    line: `${lead}${characters.slice(from, to).join("")}${trail}`,
    carets: " ".repeat(lead.length + offset - from) + "^".repeat(markedLength),
  };
}

const maxExcerptLength = 96;
