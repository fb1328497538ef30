import type { Diagnostic } from "@earshot/query/tree";
import { useEffect, useRef, useState } from "preact/compat";

/** A pause within a word is shorter. */
const typingPauseMs = 1_500;

/**
 * Returns whether typing has paused, and a function that ends the wait. Until then, unfinished
 * terms are not errors.
 */
export function useTypingPause(query: string): [boolean, () => void] {
  const [settled, setSettled] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(query), typingPauseMs);
    return () => clearTimeout(timer);
  }, [query]);
  return [settled === query, () => setSettled(query)];
}

/** Codes expected while typing. */
const unfinished: ReadonlySet<string> = new Set([
  "unclosed_quote",
  "unclosed_group",
  "missing_term",
]);

/**
 * While typing: only those seen before or in front of the current word, because an open quote or
 * group may change the meaning of all that follows.
 */
export function diagnosticsWhileTyping(
  diagnostics: readonly Diagnostic[],
  seen: ReadonlySet<string>,
  query: string,
  caret: number,
): readonly Diagnostic[] {
  const wordStart = Array.from(query.slice(0, caret).replace(/\S*$/u, "")).length;
  const open = diagnostics.filter(({ code }) => unfinished.has(code));
  const openFrom = Math.min(Number.POSITIVE_INFINITY, ...open.map(({ offset }) => offset));
  return diagnostics.filter(
    ({ code, offset, length }) =>
      seen.has(code) || (!unfinished.has(code) && offset + length < wordStart && offset < openFrom),
  );
}

export function useShownDiagnostics(
  diagnostics: readonly Diagnostic[],
  isSettled: boolean,
  query: string,
  caret: number,
): readonly Diagnostic[] {
  const seen = useRef<ReadonlySet<string>>(new Set());
  const shown = isSettled
    ? diagnostics
    : diagnosticsWhileTyping(diagnostics, seen.current, query, caret);
  useEffect(() => {
    seen.current = new Set(shown.map(({ code }) => code));
  });
  return shown;
}
