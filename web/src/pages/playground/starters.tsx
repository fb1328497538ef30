import "./starters.css";
import "../../components/empty.css";
import "../../components/plot-marks.css";
import type { SearchMethod } from "../../../../src/platforms/methods.ts";
import { HighlightedText } from "../../components/query.tsx";
import { validPieces } from "./read-query.ts";

/** `month` is the first day of the current month. */
const starters = (month: string): readonly Starter[] => [
  {
    query: '"power outage" lang:en -drill',
    method: "searchbyquery",
    meaning: "A phrase, in one language, without one word",
  },
  {
    query: `from:nasa.gov since:${month}`,
    method: "searchbyfullarchive",
    meaning: "Posts by one account this month",
  },
  {
    query: "(#rail OR #ferry) delay min_faves:20",
    method: "searchbyquery",
    meaning: "Either hashtag, with at least 20 likes",
  },
];

type Starter = { query: string; method: SearchMethod; meaning: string };

export function ExampleQueries({ onPick }: { onPick(query: string, method: SearchMethod): void }) {
  const month = `${new Date().toISOString().slice(0, 8)}01`;
  return (
    <div className="empty">
      <svg viewBox="0 0 112 40" aria-hidden="true">
        <path className="p-none" d="M2 20H40M72 20H110" />
        <path className="p-trace" d="M46 17v6M52 12v16M58 15v10M64 18v4" />
      </svg>
      <h3>Search the public conversation</h3>
      <p>
        Type a query, or start from one of these. Only <i>Search</i> counts against your limits.
      </p>
      <ul className="starters">
        {starters(month).map(({ query, method, meaning }) => (
          <li key={query}>
            <button type="button" onClick={() => onPick(query, method)}>
              <code>
                <HighlightedText pieces={validPieces(query)} />
              </code>
              <span className="quiet">{meaning}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
