import type { ApiProblem } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Note } from "../../components/note.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useNow } from "../../components/time.tsx";
import type { Phase } from "./search.ts";

export function SearchNote({
  phase,
  problem,
  searchesPerMinute,
  onCancel,
  onRetry,
}: {
  phase: Phase | null;
  problem: ApiProblem | null;
  searchesPerMinute: number;
  onCancel(): void;
  onRetry(): void;
}) {
  if (phase?.kind === "waiting")
    return (
      <WaitingNote
        untilMs={phase.untilMs}
        searchesPerMinute={searchesPerMinute}
        onCancel={onCancel}
      />
    );
  return problem === null ? null : <ProblemNote problem={problem} retry={onRetry} />;
}

function WaitingNote({
  untilMs,
  searchesPerMinute,
  onCancel,
}: {
  untilMs: number;
  searchesPerMinute: number;
  onCancel(): void;
}) {
  const nowMs = useNow(1_000);
  const seconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1_000));
  return (
    <Note
      tone="caution"
      icon="clock"
      title={`Limit reached: ${searchesPerMinute} searches per minute`}
      action={
        <Button size="small" onClick={onCancel}>
          Cancel search
        </Button>
      }
    >
      <p>
        Your search will be sent automatically when the limit resets
        {/* Not announced every second. */}
        <span aria-hidden="true">, in {seconds} s</span>.
      </p>
    </Note>
  );
}
