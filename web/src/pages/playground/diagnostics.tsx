import type { Diagnostic } from "@earshot/query/tree";
import { useMemo } from "preact/compat";
import { DiagnosticNote } from "../../components/diagnostic.tsx";
import { fixFor } from "./fixes.ts";
import { excerptWithCarets } from "./read-query.ts";

const maxShown = 4;

export function Diagnostics({
  query,
  diagnostics,
  canonical,
  maxLength,
  onFix,
}: {
  query: string;
  diagnostics: readonly Diagnostic[];
  /** Null if the query has an error. */
  canonical: string | null;
  maxLength: number;
  onFix(query: string): void;
}) {
  const visibleDiagnostics = useMemo(
    () =>
      diagnostics.slice(0, maxShown).map((diagnostic) => ({
        diagnostic,
        fix: fixFor(query, diagnostic, maxLength),
      })),
    [query, diagnostics, maxLength],
  );
  const hiddenCount = diagnostics.length - visibleDiagnostics.length;
  return (
    <>
      {visibleDiagnostics.map(({ diagnostic, fix }, index) => {
        const isOpened = index === 0;
        return (
          <DiagnosticNote
            key={`${diagnostic.code} ${diagnostic.offset}`}
            level={diagnostic.severity}
            message={diagnostic.message}
            hint={diagnosticHint(diagnostic, canonical)}
            excerpt={isOpened ? excerptWithCarets(query, diagnostic) : null}
            fix={fix === null ? null : { label: fix.label, apply: () => onFix(fix.query) }}
          >
            {canonical === null ? (
              <p>
                Error <code>{diagnostic.code}</code> at character {diagnostic.offset + 1}
              </p>
            ) : (
              <p>
                Interpreted as <code>{canonical}</code>
              </p>
            )}
          </DiagnosticNote>
        );
      })}
      {hiddenCount > 0 ? <p className="diagnostic-more">And {hiddenCount} more.</p> : null}
    </>
  );
}

/** Drops the interpretation, which is shown below. */
function diagnosticHint({ hint }: Diagnostic, canonical: string | null): string | null {
  if (hint === undefined) return null;
  if (canonical !== null && hint.startsWith("parsed as ")) {
    const [, rest = ""] = hint.split(`${canonical}; `);
    return rest === "" ? null : rest;
  }
  return hint;
}
