import type { Diagnostic } from "@earshot/query/tree";
import { useEffect, useRef, useState } from "react";

const settledMs = 500;

/** Whether typing has paused, as unfinished phrases are not errors yet. */
export function useSettled(query: string): [boolean, () => void] {
  const [settled, setSettled] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(query), settledMs);
    return () => clearTimeout(timer);
  }, [query]);
  return [settled === query, () => setSettled(query)];
}

/** Expected while typing. */
const unfinished: ReadonlySet<string> = new Set([
  "unclosed_quote",
  "unclosed_group",
  "missing_term",
]);

/** While typing, shows only earlier diagnostics and those before the current word. */
export function useShownWarnings(
  diagnostics: readonly Diagnostic[],
  isSettled: boolean,
  query: string,
  caret: number,
): readonly Diagnostic[] {
  const reported = useRef<ReadonlySet<string>>(new Set());
  const wordStart = Array.from(query.slice(0, caret).replace(/\S*$/u, "")).length;
  const shown = isSettled
    ? diagnostics
    : diagnostics.filter(
        ({ code, offset, length }) =>
          reported.current.has(code) || (!unfinished.has(code) && offset + length < wordStart),
      );
  useEffect(() => {
    reported.current = new Set(shown.map(({ code }) => code));
  });
  return shown;
}
