import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icons.tsx";
import { sentence } from "../../components/problem-note.tsx";
import { coarseDuration, shortDay } from "../../components/time.tsx";
import { useSignedIn } from "../../session.tsx";
import type { SearchAnswer } from "./answer.ts";
import { type Request, withMethod } from "./search-request.ts";

const liveWindowCodes: readonly string[] = ["cut_to_live_window", "outside_live_window"];

/** Except query warnings (see the composer) and gaps (coverage panel). */
export function AnswerWarnings({
  request,
  answer: { warnings, coverage },
  isEmpty,
  onSearch,
}: {
  request: Request;
  answer: SearchAnswer;
  /** If true, the page itself offers the full archive. */
  isEmpty: boolean;
  onSearch(request: Request): void;
}) {
  const { live_window_ms: liveWindowMs } = useSignedIn();
  const shownWarnings = warnings.filter(
    ({ code, offset }) => offset === undefined && code !== "incomplete_coverage",
  );
  if (shownWarnings.length === 0) return null;
  const liveFromMs = Date.parse(coverage.to) - liveWindowMs;
  return (
    <ul className="answer-warnings">
      {shownWarnings.map(({ code, message, hint }) => (
        <li key={`${code} ${message}`}>
          <Icon name="info" />
          {liveWindowCodes.includes(code) ? (
            <>
              <p>
                Live search covers the last {coarseDuration(liveWindowMs)}, from{" "}
                {shortDay(liveFromMs)}.
              </p>
              {isEmpty ? null : (
                <Button
                  size="small"
                  onClick={() => onSearch(withMethod(request, "searchbyfullarchive"))}
                >
                  Search the full archive
                </Button>
              )}
            </>
          ) : (
            <p>
              {sentence(message)} {hint === undefined ? null : sentence(hint)}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
