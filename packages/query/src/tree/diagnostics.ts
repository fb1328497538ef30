import type { Diagnostic, QuerySpan } from "./tree.ts";

/** Each code has a row in docs/query-language.md. */
export const diagnosticCodes = {
  empty_query: "error",
  query_too_long: "error",
  query_too_deep: "error",
  too_many_terms: "error",
  unclosed_quote: "error",
  unclosed_group: "error",
  unopened_group: "error",
  empty_group: "error",
  missing_term: "error",
  missing_operand: "error",
  one_value_only: "error",
  invalid_user: "error",
  invalid_language: "error",
  invalid_date: "error",
  invalid_time: "error",
  invalid_duration: "error",
  invalid_id: "error",
  invalid_post: "error",
  invalid_count: "error",
  invalid_geocode: "error",
  invalid_url: "error",
  invalid_domain: "error",
  unknown_platform: "error",
  unknown_filter: "error",
  operator_not_available: "error",
  wildcard_not_available: "error",
  or_binds_tighter: "warning",
  lower_case_or: "warning",
  lower_case_and: "warning",
  lower_case_not: "warning",
  comparison: "warning",
  unknown_operator: "warning",
  space_before_colon: "warning",
  unknown_language: "warning",
  language_region: "warning",
  one_label_host: "warning",
  empty_window: "warning",
  contradiction: "warning",
  no_effect: "warning",
  stray_minus: "warning",
  dash_is_not_minus: "warning",
  exclamation_is_not_minus: "warning",
  sign_left_out: "warning",
  post_address: "warning",
  not_a_word: "warning",
  not_a_hashtag: "warning",
  not_a_mention: "warning",
  not_a_cashtag: "warning",
  single_quotes: "warning",
  shared_parenthesis: "warning",
  nothing_to_search: "warning",
} as const satisfies Record<string, Diagnostic["severity"]>;

export type DiagnosticCode = keyof typeof diagnosticCodes;

/** `expected` lists the accepted forms. */
export type DiagnosticDetails = {
  message: string;
  hint?: string | Rewrites;
  expected?: readonly string[];
};

/**
 * Most likely first. The first query without diagnostics becomes the hint, after `lead`; if none,
 * `otherwise`.
 */
export type Rewrites = { lead: string; queries: readonly string[]; otherwise: string };

export type DraftDiagnostic = Omit<Diagnostic, "hint"> & { hint?: string | Rewrites };

export function makeDiagnostic(
  code: DiagnosticCode,
  span: QuerySpan,
  details: DiagnosticDetails,
): DraftDiagnostic {
  return { severity: diagnosticCodes[code], code, ...span, ...details };
}

const maxRewriteLength = 200;

export function withChosenHint(
  finding: DraftDiagnostic,
  parsesWithoutFindings: (query: string) => boolean,
): Diagnostic {
  const { hint, ...rest } = finding;
  if (hint === undefined) return rest;
  if (typeof hint === "string") return { ...finding, hint };
  const { lead, queries, otherwise } = hint;
  const query = queries.find(
    (other) => other.length <= maxRewriteLength && parsesWithoutFindings(printableText(other)),
  );
  return { ...finding, hint: query === undefined ? otherwise : `${lead} ${query}` };
}

/** A query may contain line breaks and terminal controls. */
export function withoutControls(diagnostic: Diagnostic): Diagnostic {
  const message = printableText(diagnostic.message);
  if (diagnostic.hint === undefined) return { ...diagnostic, message };
  return { ...diagnostic, message, hint: printableText(diagnostic.hint) };
}

function printableText(text: string): string {
  return Array.from(text, toPrintable).join("");
}

export function diagnosticLine(diagnostic: Diagnostic): string {
  return `${diagnostic.message} (at offset ${diagnostic.offset})`;
}

const maxExcerptWidth = 96;

/** Puts carets under the span; a long query is cut around it. */
export function renderDiagnostic(query: string, diagnostic: Diagnostic): string {
  const characters = Array.from(query, toPrintable);
  const from = excerptStart(characters, diagnostic.offset);
  const to = excerptEnd(characters, from);
  const last = Math.min(diagnostic.offset + Math.max(diagnostic.length, 1), to);
  const lead = from > 0 ? "…" : "";
  const trail = to < characters.length ? "…" : "";
  const indent = computeWidth(characters.slice(from, diagnostic.offset)) + lead.length;
  const markedWidth = computeWidth(characters.slice(diagnostic.offset, last));
  const lines = [
    `${diagnostic.severity}[${diagnostic.code}]: ${diagnosticLine(diagnostic)}`,
    `  ${lead}${characters.slice(from, to).join("")}${trail}`,
    `  ${" ".repeat(indent)}${"^".repeat(Math.max(markedWidth, 1))}`,
  ];
  if (diagnostic.hint !== undefined) lines.push(`  hint: ${diagnostic.hint}`);
  if (diagnostic.expected !== undefined)
    lines.push(`  expected: ${diagnostic.expected.join(", ")}`);
  return lines.join("\n");
}

function excerptStart(characters: readonly string[], offset: number): number {
  if (computeWidth(characters) <= maxExcerptWidth) return 0;
  let start = offset;
  let width = 0;
  while (start > 0 && width < maxExcerptWidth / 3) {
    start--;
    width += characterWidth(characters[start] ?? "");
  }
  return start;
}

function excerptEnd(characters: readonly string[], start: number): number {
  let end = start;
  let width = 0;
  while (end < characters.length && width < maxExcerptWidth) {
    width += characterWidth(characters[end] ?? "");
    end++;
  }
  return end;
}

function toPrintable(character: string): string {
  if (/\s/u.test(character)) return character === "\u3000" ? character : " ";
  return /[\p{Cc}\p{Cs}\p{Bidi_Control}]/u.test(character) ? "\ufffd" : character;
}

function computeWidth(characters: readonly string[]): number {
  return characters.reduce((width, character) => width + characterWidth(character), 0);
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** 2 for East Asian wide characters and emoji, 0 for marks and joiners, else 1. */
function characterWidth(character: string): number {
  if (/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
