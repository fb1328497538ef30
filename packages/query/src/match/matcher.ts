import type { PlanNode } from "../plan/plan.ts";
import { GAP } from "../text/analyze.ts";
import type { SequenceElement } from "../text/sequence.ts";
import type { Platform } from "../tree/platform.ts";
import type { CountMetric } from "../tree/tree.ts";
import { distanceKm } from "./geo.ts";

/** `terms` is called once for each sequence, so it must be memoised. */
export type Subject = {
  id: bigint;
  platform: Platform;
  /** Capped as by `postTimeMs`. */
  timeMs: number;
  counts: Readonly<Record<CountMetric, number | null>>;
  geo: () => { lat: number; lon: number } | null;
  terms: () => readonly string[];
};

/** The reference semantics; other executors may return more. An unknown count is 0. */
export function matches(plan: PlanNode, subject: Subject): boolean {
  switch (plan.kind) {
    case "all":
      return true;
    case "none":
      return false;
    case "and":
      return plan.children.every((child) => matches(child, subject));
    case "or":
      return plan.children.some((child) => matches(child, subject));
    case "not":
      return !matches(plan.child, subject);
    case "terms":
      return containsSequence(subject.terms(), plan.elements);
    case "time":
      return (
        (plan.fromMs === null || subject.timeMs >= plan.fromMs) &&
        (plan.toMs === null || subject.timeMs < plan.toMs)
      );
    case "id":
      return (
        (plan.low === null || subject.id >= plan.low) &&
        (plan.high === null || subject.id <= plan.high)
      );
    case "platform":
      return subject.platform === plan.platform;
    case "min-count":
      return (subject.counts[plan.metric] ?? 0) >= plan.atLeast;
    case "geo": {
      const coordinates = subject.geo();
      return coordinates !== null && distanceKm(coordinates, plan) <= plan.radiusKm;
    }
  }
}

/** Longer sequences use the automaton. */
const shortSequence = 4;

/** Linear, even if elements repeat. */
export function containsSequence(
  terms: readonly string[],
  elements: readonly SequenceElement[],
): boolean {
  if (elements.length === 0 || elements.length > terms.length) return false;
  if (elements.length > shortSequence) return findsInOnePass(terms, compileAutomaton(elements));
  const lastStart = terms.length - elements.length;
  for (let start = 0; start <= lastStart; start++) {
    if (matchesAt(terms, start, elements)) return true;
  }
  return false;
}

function matchesAt(
  terms: readonly string[],
  start: number,
  elements: readonly SequenceElement[],
): boolean {
  for (let index = 0; index < elements.length; index++) {
    const term = terms[start + index];
    const element = elements[index];
    if (term === undefined || element === undefined || !termMatches(term, element)) return false;
  }
  return true;
}

function termMatches(term: string, element: SequenceElement): boolean {
  switch (element.kind) {
    case "token":
      return term === element.token;
    case "prefix":
      return term.startsWith(element.prefix);
    case "any":
      return term !== GAP;
  }
}

/** Shift-And: bit n of a mask is set if element n accepts the term. */
type Automaton = {
  length: number;
  tokens: ReadonlyMap<string, Uint32Array>;
  prefixes: readonly (readonly [prefix: string, mask: Uint32Array])[];
  anyTerm: Uint32Array;
};

const automata = new WeakMap<readonly SequenceElement[], Automaton>();

function compileAutomaton(elements: readonly SequenceElement[]): Automaton {
  const cachedAutomaton = automata.get(elements);
  if (cachedAutomaton !== undefined) return cachedAutomaton;
  const wordCount = Math.ceil(elements.length / 32);
  const tokens = new Map<string, Uint32Array>();
  const prefixes = new Map<string, Uint32Array>();
  const anyTerm = new Uint32Array(wordCount);
  const maskIn = (masks: Map<string, Uint32Array>, key: string): Uint32Array => {
    const mask = masks.get(key) ?? new Uint32Array(wordCount);
    masks.set(key, mask);
    return mask;
  };
  for (const [index, element] of elements.entries()) {
    if (element.kind === "token") setBit(maskIn(tokens, element.token), index);
    else if (element.kind === "prefix") setBit(maskIn(prefixes, element.prefix), index);
    else setBit(anyTerm, index);
  }
  const automaton = { length: elements.length, tokens, prefixes: [...prefixes], anyTerm };
  automata.set(elements, automaton);
  return automaton;
}

function findsInOnePass(
  terms: readonly string[],
  { length, tokens, prefixes, anyTerm }: Automaton,
): boolean {
  const states = new Uint32Array(anyTerm.length);
  const acceptedMask = new Uint32Array(anyTerm.length);
  const lastWord = (length - 1) >>> 5;
  const lastBit = 1 << ((length - 1) & 31);
  for (const term of terms) {
    acceptedMask.fill(0);
    if (term !== GAP) addMask(acceptedMask, anyTerm);
    const mask = tokens.get(term);
    if (mask !== undefined) addMask(acceptedMask, mask);
    for (const [prefix, prefixMask] of prefixes) {
      if (term.startsWith(prefix)) addMask(acceptedMask, prefixMask);
    }
    // A match may begin anywhere, so each step shifts in bit 0.
    let carry = 1;
    for (let word = 0; word < states.length; word++) {
      const previousState = states[word] as number;
      states[word] = ((previousState << 1) | carry) & (acceptedMask[word] as number);
      carry = previousState >>> 31;
    }
    if (((states[lastWord] as number) & lastBit) !== 0) return true;
  }
  return false;
}

function setBit(mask: Uint32Array, index: number): void {
  mask[index >>> 5] = (mask[index >>> 5] as number) | (1 << (index & 31));
}

function addMask(target: Uint32Array, mask: Uint32Array): void {
  for (let word = 0; word < target.length; word++) {
    target[word] = (target[word] as number) | (mask[word] as number);
  }
}
