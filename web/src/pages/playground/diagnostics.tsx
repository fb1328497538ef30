import type { Diagnostic } from "@earshot/query/tree";
import { useMemo } from "react";
import { DiagnosticNote } from "../../components/diagnostic.tsx";
import { fixFor } from "./fixes.ts";
import { excerptOf } from "./read-query.ts";

const mostShown = 4;

export function Diagnostics({
  query,
  remarks,
  canonical,
  maxLength,
  onFix,
}: {
  query: string;
  remarks: readonly Diagnostic[];
  /** Null if the query has an error. */
  canonical: string | null;
  maxLength: number;
  onFix(query: string): void;
}) {
  const reported = useMemo(
    () =>
      remarks.slice(0, mostShown).map((remark) => ({
        remark,
        fix: fixFor(query, remark, maxLength),
      })),
    [query, remarks, maxLength],
  );
  const more = remarks.length - reported.length;
  return (
    <>
      {reported.map(({ remark, fix }, index) => {
        const isOpened = index === 0;
        return (
          <DiagnosticNote
            key={`${remark.code} ${remark.offset}`}
            level={remark.severity}
            message={remark.message}
            hint={hintOf(remark, canonical)}
            excerpt={isOpened ? excerptOf(query, remark) : null}
            fix={fix === null ? null : { label: fix.label, apply: () => onFix(fix.query) }}
          >
            {canonical === null ? (
              <p>
                Error <code>{remark.code}</code> at character {remark.offset + 1}
              </p>
            ) : (
              <p>
                Interpreted as <code>{canonical}</code>
              </p>
            )}
          </DiagnosticNote>
        );
      })}
      {more > 0 ? <p className="diagnostic-more">And {more} more.</p> : null}
    </>
  );
}

/** Drops the interpretation, which is shown below. */
function hintOf({ hint }: Diagnostic, canonical: string | null): string | null {
  if (hint === undefined) return null;
  if (canonical !== null && hint.startsWith("read as ")) {
    const [, rest = ""] = hint.split(`${canonical}; `);
    return rest === "" ? null : rest;
  }
  return hint;
}
