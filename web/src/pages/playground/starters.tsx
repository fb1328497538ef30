import "./starters.css";
import "../../components/empty.css";
import "../../components/plot-marks.css";
import { QueryPaint } from "../../components/query.tsx";
import { readQuery } from "./read-query.ts";
import { longestQuery } from "./search-request.ts";

/** `month` is the first day of the current month. */
const starters = (month: string) => [
  {
    query: '"power outage" lang:en -drill',
    says: "A phrase, in one language, without one word",
  },
  { query: `from:nasa.gov since:${month}`, says: "Everything one account said this month" },
  { query: "(#rail OR #ferry) delay min_faves:20", says: "Either hashtag, with some attention" },
];

export function Starters({ onPick }: { onPick(query: string): void }) {
  const month = `${new Date().toISOString().slice(0, 8)}01`;
  return (
    <div className="empty">
      <svg viewBox="0 0 112 40" aria-hidden="true">
        <path className="p-none" d="M2 20H40M72 20H110" />
        <path className="p-trace" d="M46 17v6M52 12v16M58 15v10M64 18v4" />
      </svg>
      <h3>Search the public conversation</h3>
      <p>
        Type a query, or start from one of these. Nothing here counts against your limits until you
        press Search.
      </p>
      <ul className="starters">
        {starters(month).map(({ query, says }) => (
          <li key={query}>
            <button type="button" onClick={() => onPick(query)}>
              <code>
                <QueryPaint pieces={readQuery(query, longestQuery("searchbyquery")).pieces} />
              </code>
              <span className="quiet">{says}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
