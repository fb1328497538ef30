import "./coverage-panel.css";
import { Link } from "wouter";
import { isSearch } from "../../../../src/platforms/methods.ts";
import { Badge } from "../../components/badge.tsx";
import { platformNames } from "../../platforms.ts";
import { coverageLines } from "./coverage.ts";
import type { ShownAnswer } from "./use-search.ts";

export function AnswerCoveragePanel({ shownAnswer }: { shownAnswer: ShownAnswer | null }) {
  const lines =
    shownAnswer === null
      ? []
      : coverageLines(shownAnswer.firstPage.coverage, shownAnswer.firstPage.sources, Date.now());
  return (
    <section className="panel" aria-labelledby="coverage">
      <div className="panel-head">
        <h2 id="coverage">Coverage</h2>
        {shownAnswer === null ? null : (
          <span className="push">
            {shownAnswer.firstPage.complete ? (
              <Badge tone="accent">Complete</Badge>
            ) : (
              <Badge tone="caution">Incomplete</Badge>
            )}
          </span>
        )}
      </div>
      <div className="panel-body coverage-reserve">
        {shownAnswer === null ? (
          <p className="small soft">
            Every answer reports which part of its window is covered, so you can tell no matches
            from missing data.
          </p>
        ) : !isSearch(shownAnswer.request.method) ? (
          <p className="small soft">
            {shownAnswer.firstPage.complete
              ? "Read to the end, or up to the requested number."
              : "Reading ended early: there may be more."}
          </p>
        ) : lines.length === 0 ? (
          <p className="small soft">
            This archive has no sources yet. <Link href="/status">See the status</Link>
          </p>
        ) : (
          <dl className="facts">
            {lines.map(({ platform, text, state, shortfalls }) => (
              <div key={platform} className="facts-row">
                <dt>{platformNames[platform]}</dt>
                <dd>
                  {text}
                  {shortfalls.map((shortfall) => (
                    <span key={shortfall} className="quiet">
                      <br />
                      {shortfall}
                    </span>
                  ))}
                  {state === "incomplete" ? (
                    <>
                      <br />
                      <Link href="/status">See coverage</Link>
                    </>
                  ) : null}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </section>
  );
}
