import "./results.css";
import { type ReactNode, useEffect, useState } from "preact/compat";
import { isSearch } from "../../../../src/platforms/methods.ts";
import { Button } from "../../components/button.tsx";
import { type Option, Segmented } from "../../components/field.tsx";
import { State } from "../../components/state.tsx";
import { wholeNumber } from "../../numbers.ts";
import { AnswerPosts, type View } from "./answer-posts.tsx";
import { differingQuery } from "./named-query.ts";
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
  shown,
  phase,
  before,
  onMore,
  onCancel,
  onSearch,
}: {
  /** The request in the composer. */
  request: Request;
  shown: ShownAnswer | null;
  phase: Phase | null;
  /** Shown before the first search. */
  before: ReactNode;
  onMore(): void;
  onCancel(): void;
  onSearch(request: Request): void;
}) {
  const [view, setView] = useState<View>("cards");
  const isLong = useIsLong(phase !== null);
  const named = shown === null ? null : differingQuery(shown.request, request, phase !== null);
  return (
    <section aria-labelledby="results">
      <div className="results-head">
        <h2 id="results">
          {resultsTitle(shown)}
          {named === null ? null : (
            <>
              {" "}
              for <code className="clip">{named}</code>
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
        ) : shown === null ? null : (
          <p>
            {Math.round(shown.elapsedMs)} ms
            {shown.results.length > 1 && isSearch(shown.request.method) ? ", newest first" : ""}
          </p>
        )}
        {shown === null || shown.results.length === 0 ? null : (
          <div className="push row">
            <SaveMenu shown={shown} />
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
        {shown === null ? (
          before
        ) : (
          <AnswerPosts
            shown={shown}
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

function resultsTitle(shown: ShownAnswer | null): string {
  if (shown === null) return "Posts";
  const { length } = shown.results;
  const noun = isSearch(shown.request.method) ? "post" : "result";
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
