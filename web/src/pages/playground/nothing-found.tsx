import "../../components/empty.css";
import "../../components/plot-marks.css";
import type { QueryNode } from "@earshot/query/tree";
import { Link } from "wouter";
import { Button } from "../../components/button.tsx";
import { completeSentence, incompleteSentence } from "./coverage.ts";
import { withoutOneFilter } from "./looser-query.ts";
import { type Request, withMethod } from "./search-request.ts";
import type { Shown } from "./use-search.ts";

/** Distinguishes no match from missing coverage. */
export function NothingFound({
  shown: { ask, first },
  tree,
  onSearch,
}: {
  shown: Shown;
  tree: QueryNode | null;
  onSearch(request: Request): void;
}) {
  const nowMs = Date.now();
  if (!first.complete) {
    return (
      <div className="empty">
        <svg viewBox="0 0 112 40" aria-hidden="true">
          <path className="p-trace" d="M4 17v6M10 12v16M16 15v10M22 18v4" />
          <path className="p-none" d="M30 20H82" />
          <path className="p-trace" d="M90 17v6M96 12v16M102 15v10M108 18v4" />
        </svg>
        <h3>No matches in the archived posts</h3>
        <code className="clip">{ask.query}</code>
        <p>{incompleteSentence(first.coverage, nowMs)}</p>
        <div className="row">
          <Button size="small" onClick={() => onSearch(ask)}>
            Run again
          </Button>
          <Link className="button" data-size="small" data-variant="plain" href="/status">
            See coverage
          </Link>
        </div>
      </div>
    );
  }
  const looser = tree === null ? null : withoutOneFilter(tree);
  return (
    <div className="empty">
      <svg viewBox="0 0 112 40" aria-hidden="true">
        <path className="p-none" d="M2 20H40M72 20H110" />
        <path className="p-trace" d="M46 17v6M52 12v16M58 15v10M64 18v4" />
      </svg>
      <h3>No post matches</h3>
      <code className="clip">{ask.query}</code>
      <p>{completeSentence(first.coverage, nowMs)}</p>
      <div className="row">
        {looser === null ? null : (
          <Button size="small" onClick={() => onSearch({ ...ask, query: looser.query })}>
            Search without {looser.left}
          </Button>
        )}
        {ask.method === "searchbyquery" ? (
          <Button
            size="small"
            variant="plain"
            onClick={() => onSearch(withMethod(ask, "searchbyfullarchive"))}
          >
            Search the full archive
          </Button>
        ) : null}
      </div>
    </div>
  );
}
