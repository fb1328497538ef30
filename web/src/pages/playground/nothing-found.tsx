import "../../components/empty.css";
import "../../components/plot-marks.css";
import type { QueryNode } from "@earshot/query/tree";
import { Link } from "wouter";
import { isSearch } from "../../../../src/platforms/methods.ts";
import { Button } from "../../components/button.tsx";
import { completeSentence, incompleteSentence } from "./coverage.ts";
import { withoutOneFilter } from "./looser-query.ts";
import { type Request, withMethod } from "./search-request.ts";
import type { ShownAnswer } from "./use-search.ts";

/** Distinguishes no match from missing coverage. */
export function NothingFound({
  shownAnswer: { request, firstPage },
  tree,
  onSearch,
}: {
  shownAnswer: ShownAnswer;
  tree: QueryNode | null;
  onSearch(request: Request): void;
}) {
  const nowMs = Date.now();
  if (!isSearch(request.method)) {
    return (
      <div className="empty">
        <h3>No results</h3>
        <p>
          {firstPage.complete
            ? "The platform returned none."
            : "Some or all data could not be read: see the warnings above."}
        </p>
        <div className="row">
          <Button size="small" onClick={() => onSearch(request)}>
            Run again
          </Button>
        </div>
      </div>
    );
  }
  const { complete, coverage, sources } = firstPage;
  const looserSearch = tree === null ? null : withoutOneFilter(tree);
  return (
    <div className="empty">
      <svg viewBox="0 0 112 40" aria-hidden="true">
        {complete ? (
          <>
            <path className="p-none" d="M2 20H40M72 20H110" />
            <path className="p-trace" d="M46 17v6M52 12v16M58 15v10M64 18v4" />
          </>
        ) : (
          <>
            <path className="p-trace" d="M4 17v6M10 12v16M16 15v10M22 18v4" />
            <path className="p-none" d="M30 20H82" />
            <path className="p-trace" d="M90 17v6M96 12v16M102 15v10M108 18v4" />
          </>
        )}
      </svg>
      <h3>{complete ? "No post matches" : "No matches found"}</h3>
      <code className="clip">{request.query}</code>
      <p>
        {complete
          ? completeSentence(coverage, nowMs)
          : incompleteSentence(coverage, sources, nowMs)}
      </p>
      <div className="row">
        {request.method === "searchbyquery" ? (
          <Button size="small" onClick={() => onSearch(withMethod(request, "searchbyfullarchive"))}>
            Search the full archive
          </Button>
        ) : null}
        {looserSearch === null ? null : (
          <Button size="small" onClick={() => onSearch({ ...request, query: looserSearch.query })}>
            Search without {looserSearch.removed}
          </Button>
        )}
        {complete ? null : (
          <>
            <Button size="small" variant="plain" onClick={() => onSearch(request)}>
              Run again
            </Button>
            <Link className="button" data-size="small" data-variant="plain" href="/status">
              See coverage
            </Link>
          </>
        )}
      </div>
    </div>
  );
}
