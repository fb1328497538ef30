import "./results.css";
import { type ReactNode, useEffect, useState } from "preact/compat";
import { isSearch } from "../../../../src/platforms/methods.ts";
import { Button } from "../../components/button.tsx";
import { type Option, Segmented } from "../../components/field.tsx";
import { State } from "../../components/state.tsx";
import { wholeNumber } from "../../numbers.ts";
import { AnswerPosts, type View } from "./answer-posts.tsx";
import { differingQuery } from "./differing-query.ts";
import { SaveMenu } from "./save-menu.tsx";
import type { Phase } from "./search.ts";
import type { Request } from "./search-request.ts";
import type { ShownAnswer } from "./use-search.ts";

const views: readonly Option<View>[] = [
  { value: "cards", label: "Cards" },
  { value: "json", label: "JSON" },
];

export function Results({
  request,
  shownAnswer,
  phase,
  placeholder,
  onMore,
  onCancel,
  onSearch,
}: {
  /** The request in the composer. */
  request: Request;
  shownAnswer: ShownAnswer | null;
  phase: Phase | null;
  /** Shown before the first search. */
  placeholder: ReactNode;
  onMore(): void;
  onCancel(): void;
  onSearch(request: Request): void;
}) {
  const [view, setView] = useState<View>("cards");
  const isLong = useIsLong(phase !== null);
  const headingQuery =
    shownAnswer === null ? null : differingQuery(shownAnswer.request, request, phase !== null);
  return (
    <section aria-labelledby="results">
      <div className="results-head">
        <h2 id="results">
          {resultsTitle(shownAnswer)}
          {headingQuery === null ? null : (
            <>
              {" "}
              for <code className="clip">{headingQuery}</code>
            </>
          )}
        </h2>
        {phase?.kind === "running" ? (
          <>
            <State state={phase.state} />
            <Button size="small" onClick={onCancel}>
              Cancel
            </Button>
          </>
        ) : phase !== null && isLong ? (
          <p>{phase.kind === "waiting" ? "Waiting" : "Searching"}</p>
        ) : shownAnswer === null ? null : (
          <p>
            {Math.round(shownAnswer.elapsedMs)} ms
            {shownAnswer.results.length > 1 && isSearch(shownAnswer.request.method)
              ? ", newest first"
              : ""}
          </p>
        )}
        {shownAnswer === null || shownAnswer.results.length === 0 ? null : (
          <div className="push row">
            <SaveMenu shownAnswer={shownAnswer} />
            <Segmented<View>
              legend="Show results as"
              options={views}
              value={view}
              onPick={setView}
            />
          </div>
        )}
      </div>
      <div className="panel results-panel" aria-busy={phase !== null}>
        {shownAnswer === null ? (
          placeholder
        ) : (
          <AnswerPosts
            shownAnswer={shownAnswer}
            view={view}
            isBusy={phase !== null}
            onMore={onMore}
            onSearch={onSearch}
          />
        )}
      </div>
    </section>
  );
}

function resultsTitle(shownAnswer: ShownAnswer | null): string {
  if (shownAnswer === null) return "Posts";
  const { length } = shownAnswer.results;
  const noun = isSearch(shownAnswer.request.method) ? "post" : "result";
  return `${wholeNumber(length)} ${length === 1 ? noun : `${noun}s`}`;
}

const longMs = 300;

/** Hides short loading states. */
function useIsLong(isBusy: boolean): boolean {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    if (!isBusy) return;
    const timer = setTimeout(() => setLong(true), longMs);
    return () => {
      clearTimeout(timer);
      setLong(false);
    };
  }, [isBusy]);
  return isLong;
}
