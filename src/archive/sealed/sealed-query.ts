import { Buffer } from "node:buffer";
import type { PlanNode } from "@earshot/query/plan";
import type { SequenceElement } from "@earshot/query/text";

export type SealedQuery =
  | { kind: "every" }
  | { kind: "none" }
  | { kind: "term"; term: string }
  | { kind: "phrase"; terms: readonly string[] }
  /** Adjacent terms, if any, followed by a term with the prefix. */
  | { kind: "prefix"; terms: readonly string[]; prefix: string }
  | { kind: "or"; children: readonly SealedQuery[] }
  | { kind: "and"; children: readonly SealedQuery[]; excluded: readonly SealedQuery[] };

/**
 * Folds tokens as FTS5 does: a token that is split becomes a phrase, and a sequence that folds to
 * nothing matches nothing.
 */
export function sealedQuery(plan: PlanNode): SealedQuery {
  switch (plan.kind) {
    case "all":
      return { kind: "every" };
    case "none":
      return { kind: "none" };
    case "terms":
      return sequenceQuery(plan.elements);
    case "not":
      return { kind: "and", children: [], excluded: excludedQueries(plan.child) };
    case "and":
      return {
        kind: "and",
        children: plan.children.filter((child) => child.kind !== "not").map(sealedQuery),
        excluded: plan.children.flatMap((child) =>
          child.kind === "not" ? excludedQueries(child.child) : [],
        ),
      };
    case "or":
      return { kind: "or", children: plan.children.map(sealedQuery) };
    default:
      throw new Error(`a lowered plan cannot contain ${plan.kind}`);
  }
}

export function lacksTerms(query: SealedQuery, isMissing: (term: string) => boolean): boolean {
  switch (query.kind) {
    case "every":
      return false;
    case "none":
      return true;
    case "term":
      return isMissing(query.term);
    case "phrase":
    case "prefix":
      return query.terms.some(isMissing);
    case "or":
      return query.children.every((child) => lacksTerms(child, isMissing));
    case "and":
      return query.children.some((child) => lacksTerms(child, isMissing));
  }
}

const excludedQueries = (plan: PlanNode): SealedQuery[] =>
  plan.kind === "or" ? plan.children.flatMap(excludedQueries) : [sealedQuery(plan)];

function sequenceQuery(elements: readonly SequenceElement[]): SealedQuery {
  const terms = foldedTokens(elements.map(elementText).join(" "));
  const last = terms.at(-1);
  if (last === undefined) return { kind: "none" };
  if (elements.at(-1)?.kind === "prefix") {
    return { kind: "prefix", terms: terms.slice(0, -1), prefix: last };
  }
  return terms.length === 1 ? { kind: "term", term: last } : { kind: "phrase", terms };
}

function elementText(element: SequenceElement): string {
  if (element.kind === "token") return element.token;
  if (element.kind === "prefix") return element.prefix;
  throw new Error("a lowered plan cannot contain a wildcard");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: white space and control characters separate tokens
const separators = /[\u0000-\u0020\u007f]+/;
const capitals = /[A-Z]/g;

export const foldedTokens = (text: string): string[] =>
  text
    .toWellFormed()
    .replace(capitals, (letter) => letter.toLowerCase())
    .split(separators)
    .filter((token) => token !== "");

export const isPositionalTerm = (term: string): boolean => !positionlessTerm.test(term);

const positionlessTerm = /^(?:\|$|[@$]|(?!url:)[a-z-]+:|(?:likes|reposts|replies|quotes)>=)/;

const isLetterOrDash = (byte: number): boolean => (byte >= 0x61 && byte <= 0x7a) || byte === 0x2d;
const dollar = 0x24;
const colon = 0x3a;
const atSign = 0x40;
const bar = 0x7c;
const urlPrefix = Buffer.from("url:");
const countPrefixes = ["likes>=", "reposts>=", "replies>=", "quotes>="].map((name) =>
  Buffer.from(name),
);

export function isPositionalTermBytes(term: Uint8Array, length: number): boolean {
  const first = term[0] as number;
  if (first === bar) return length > 1;
  if (first === atSign || first === dollar) return false;
  let letters = 0;
  while (letters < length && isLetterOrDash(term[letters] as number)) letters += 1;
  if (letters === 0 || letters === length) return true;
  const next = term[letters] as number;
  if (next === colon)
    return letters === urlPrefix.length - 1 && beginsWith(term, length, urlPrefix);
  return !countPrefixes.some((threshold) => beginsWith(term, length, threshold));
}

function beginsWith(term: Uint8Array, length: number, start: Uint8Array): boolean {
  if (length < start.length) return false;
  for (let index = 0; index < start.length; index++) {
    if (term[index] !== start[index]) return false;
  }
  return true;
}
