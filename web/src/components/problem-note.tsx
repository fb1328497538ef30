import type { ApiProblem } from "../api.ts";
import { Button } from "./button.tsx";
import { Note } from "./note.tsx";

export function ProblemNote({ problem, retry }: { problem: ApiProblem; retry?: () => unknown }) {
  const { code, message, hint } = problem;
  const hasPage = problem.status > 0 && code !== "unexpected";
  return (
    <Note
      tone="danger"
      icon="error"
      title={sentence(message)}
      action={
        retry === undefined ? undefined : (
          <Button size="small" onClick={() => void retry()}>
            Try again
          </Button>
        )
      }
    >
      {hint === null ? null : <p>{sentence(hint)}</p>}
      {hasPage ? (
        <p>
          Error{" "}
          <a href={`/docs/errors/${code}`}>
            <code>{code}</code>
          </a>
        </p>
      ) : null}
    </Note>
  );
}

/** Operators and commands at the start keep their case. */
export function sentence(line: string): string {
  const capitalised = line.replace(/^(?!earshot )[a-z](?=[a-z']*[\s,;])/, (letter) =>
    letter.toUpperCase(),
  );
  return /[.?]$/.test(capitalised) ? capitalised : `${capitalised}.`;
}
