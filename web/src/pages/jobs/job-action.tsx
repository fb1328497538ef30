import { Link, useLocation } from "wouter";
import { searchMethods } from "../../../../src/platforms/methods.ts";
import { type ApiProblem, api } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { sentence } from "../../components/problem-note.tsx";
import { useAction } from "../../components/use-action.ts";
import { cancelJob } from "../../jobs/cancel-job.ts";
import { isRunning, type JobHead } from "../../jobs/job.ts";
import { searchPagePath } from "../playground/search-request.ts";

/** Cancels a running job, or submits an ended one again. */
export function JobAction({
  job,
  onChanged,
  variant,
}: {
  job: JobHead;
  onChanged(): Promise<void>;
  variant: "plain" | "danger";
}) {
  const cancelAction = useAction();
  const name = job.query === "" ? job.method : job.query;
  if (!isRunning(job.status)) return <RunAgain job={job} isPlain={variant === "plain"} />;
  const cancel = async () => {
    await cancelJob(job.uuid);
    await onChanged();
  };
  return (
    <>
      <Button
        variant={variant}
        size="small"
        aria-label={`Cancel ${name}`}
        disabled={cancelAction.isPending}
        onClick={() => void cancelAction.run(cancel)}
      >
        Cancel
      </Button>
      <Refusal problem={cancelAction.problem} />
    </>
  );
}

/** The job does not report the requested number of results. */
const defaultResults = 20;

function RunAgain({ job, isPlain }: { job: JobHead; isPlain: boolean }) {
  const { query, platform } = job;
  const method = searchMethods.find((other) => other === job.method);
  const name = query === "" ? job.method : query;
  if (method === undefined) return <SubmitAgain job={job} name={name} isPlain={isPlain} />;
  return (
    <Link
      className="button"
      data-variant={isPlain ? "plain" : undefined}
      data-size="small"
      aria-label={`Run again: ${name}`}
      href={searchPagePath({ query, method, platform, maxResults: defaultResults })}
      state={{ run: true }}
    >
      Run again
    </Link>
  );
}

/** The playground runs searches; other methods are submitted here. */
function SubmitAgain({ job, name, isPlain }: { job: JobHead; name: string; isPlain: boolean }) {
  const [, navigate] = useLocation();
  const submitAction = useAction();
  const submit = async () => {
    const { platform, type, method, query } = job;
    const body = { type, arguments: { type: method, ...(query === "" ? {} : { query }) } };
    const { uuid } = await api.post<{ uuid: string }>(`/v1/search/live/${platform}`, body);
    navigate(`/jobs/${uuid}`);
  };
  return (
    <>
      <Button
        {...(isPlain ? { variant: "plain" as const } : {})}
        size="small"
        aria-label={`Run again: ${name}`}
        disabled={submitAction.isPending}
        onClick={() => void submitAction.run(submit)}
      >
        Run again
      </Button>
      <Refusal problem={submitAction.problem} />
    </>
  );
}

function Refusal({ problem }: { problem: ApiProblem | null }) {
  if (problem === null) return null;
  return (
    <span className="refusal" role="alert">
      {sentence([problem.message, problem.hint].filter(Boolean).join("; "))}
    </span>
  );
}
