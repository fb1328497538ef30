import "./starters.css";
import { Link } from "wouter";
import { Button } from "../../components/button.tsx";
import { HighlightedText } from "../../components/query.tsx";
import { Ago, shortTime } from "../../components/time.tsx";
import { platformNames } from "../../platforms.ts";
import type { PastSearch } from "./query-history.ts";
import { readQuery } from "./read-query.ts";
import { maxQueryLength, readRequest } from "./search-request.ts";

/** What distinguishes searches with the same query. */
function historyDetail(address: string): string {
  const { method, platform, startTime, endTime } = readRequest(address.split("?")[1] ?? "");
  const parts = [
    ...(method === "searchbyfullarchive" ? ["full archive"] : []),
    ...(platform === "social" ? [] : [platformNames[platform]]),
    ...(startTime === undefined ? [] : [`from ${shortTime(startTime)}`]),
    ...(endTime === undefined ? [] : [`to ${shortTime(endTime)}`]),
  ];
  return parts.length === 0 ? "" : `${parts.join(", ")}; `;
}

/** Recent and saved searches in this browser. */
export function HistoryPanel({
  searches,
  onSave,
  onClear,
  onClose,
}: {
  searches: readonly PastSearch[];
  onSave(address: string, isSaved: boolean): void;
  onClear(): void;
  onClose(): void;
}) {
  const savedSearches = searches.filter(({ isSaved }) => isSaved);
  const recentSearches = searches.filter(({ isSaved }) => !isSaved);
  return (
    <section className="panel" aria-labelledby="history">
      <div className="panel-head">
        <h2 id="history" tabIndex={-1}>
          History
        </h2>
        <span className="small quiet">stored in this browser</span>
        <div className="push row">
          {recentSearches.length === 0 ? null : (
            <Button size="small" variant="plain" onClick={onClear}>
              Clear
            </Button>
          )}
          <Button size="small" variant="plain" onClick={onClose}>
            Close
          </Button>
        </div>
      </div>
      {searches.length === 0 ? (
        <div className="panel-body">
          <p className="quiet">Your searches appear here.</p>
        </div>
      ) : (
        <ul className="history">
          {[...savedSearches, ...recentSearches].map((search) => (
            <li key={search.address}>
              <Link href={search.address} onClick={onClose}>
                <code>
                  <HighlightedText
                    pieces={readQuery(search.query, maxQueryLength("searchbyfullarchive")).pieces}
                  />
                </code>
              </Link>
              <span className="small quiet">
                {historyDetail(search.address)}
                <Ago at={new Date(search.atMs).toISOString()} />
              </span>
              <Button
                size="small"
                variant="plain"
                aria-pressed={search.isSaved}
                aria-label={`Save ${search.query}`}
                onClick={() => onSave(search.address, !search.isSaved)}
              >
                {search.isSaved ? "Saved" : "Save"}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
