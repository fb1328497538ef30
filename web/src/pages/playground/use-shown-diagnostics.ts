import type { Diagnostic } from "@earshot/query/tree";
import { useEffect, useRef, useState } from "preact/compat";

/** A pause within a word is shorter. */
const typingPauseMs = 1_500;

/**
 * Returns whether typing has paused, and a function that ends the wait. Until then, unfinished
 * terms are not errors.
 */
export function useTypingPause(query: string): [boolean, () => void] {
  const [settledQuery, setSettledQuery] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => setSettledQuery(query), typingPauseMs);
    return () => clearTimeout(timer);
  }, [query]);
  return [settledQuery === query, () => setSettledQuery(query)];
}

/** Codes expected while typing. */
const unfinishedCodes: ReadonlySet<string> = new Set([
  "unclosed_quote",
  "unclosed_group",
  "missing_term",
]);

/**
 * While typing: only those already shown, or before the current word and any open quote or group,
 * which may change the meaning of what follows.
 */
export function diagnosticsWhileTyping(
  diagnostics: readonly Diagnostic[],
  shownCodes: ReadonlySet<string>,
  query: string,
  caret: number,
): readonly Diagnostic[] {
  const wordStart = Array.from(query.slice(0, caret).replace(/\S*$/u, "")).length;
  const unfinishedDiagnostics = diagnostics.filter(({ code }) => unfinishedCodes.has(code));
  const openFrom = Math.min(
    Number.POSITIVE_INFINITY,
    ...unfinishedDiagnostics.map(({ offset }) => offset),
  );
  return diagnostics.filter(
    ({ code, offset, length }) =>
      shownCodes.has(code) ||
      (!unfinishedCodes.has(code) && offset + length < wordStart && offset < openFrom),
  );
}

export function useShownDiagnostics(
  diagnostics: readonly Diagnostic[],
  isSettled: boolean,
  query: string,
  caret: number,
): readonly Diagnostic[] {
  const shownCodes = useRef<ReadonlySet<string>>(new Set());
  const shownDiagnostics = isSettled
    ? diagnostics
    : diagnosticsWhileTyping(diagnostics, shownCodes.current, query, caret);
  useEffect(() => {
    shownCodes.current = new Set(shownDiagnostics.map(({ code }) => code));
  });
  return shownDiagnostics;
}
