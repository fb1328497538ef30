import { useEffect, useRef } from "preact/compat";
import { Link } from "wouter";
import { CopyButton } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Loading } from "../../components/loading.tsx";
import { ProblemNote, sentence } from "../../components/problem-note.tsx";
import { State } from "../../components/state.tsx";
import { Steps } from "../../components/steps.tsx";
import { afterEvent, type JobStatus, type JobWarning } from "../../jobs/job.ts";
import { useJobFeed } from "../../jobs/use-jobs.ts";
import { quantityText } from "../../numbers.ts";
import { useApi } from "../../use-api.ts";
import { type JobFilter, jobPagePath } from "./filters.ts";
import { JobAction } from "./job-action.tsx";
import { JobCoveragePanel } from "./job-coverage.tsx";
import { JobFacts } from "./job-facts.tsx";
import { JobProof } from "./job-proof.tsx";
import { JobResult } from "./job-result.tsx";
import { JobSources } from "./job-sources.tsx";
import { QueryText } from "./query-text.tsx";
import { jobSteps } from "./steps.ts";

/** Scrolls if the panel starts below this share of the window. */
const maxTopShare = 0.6;

function scrollToPanel(panel: HTMLElement | null): void {
  const top = panel?.getBoundingClientRect().top ?? 0;
  if (top < 0 || top > maxTopShare * window.innerHeight) panel?.scrollIntoView({ block: "start" });
}

export function OpenedJob({
  uuid,
  filter,
  onChanged,
}: {
  uuid: string;
  filter: JobFilter;
  onChanged(): Promise<void>;
}) {
  const { events, openCount } = useJobFeed();
  const event = events.get(uuid);
  const { data, problem, refresh } = useApi<JobStatus>(
    `/v1/search/live/status/${encodeURIComponent(uuid)}`,
  );
  const handledChange = useRef({ event, openCount });
  useEffect(() => {
    if (handledChange.current.event === event && handledChange.current.openCount === openCount)
      return;
    handledChange.current = { event, openCount };
    void refresh();
  }, [event, openCount, refresh]);
  if (problem !== undefined && (data === undefined || problem.status === 404)) {
    return problem.status === 404 || problem.code === "invalid_request" ? (
      <NoSuchJob filter={filter} />
    ) : (
      <ProblemNote problem={problem} retry={refresh} />
    );
  }
  if (data === undefined) return <Loading>Loading job…</Loading>;
  const refreshBoth = async () => {
    await Promise.all([refresh(), onChanged()]);
  };
  return (
    <JobPanel
      job={afterEvent(data, event)}
      closeHref={jobPagePath(filter, null)}
      onChanged={refreshBoth}
    />
  );
}

function JobPanel({
  job,
  closeHref,
  onChanged,
}: {
  job: JobStatus;
  closeHref: string;
  onChanged(): Promise<void>;
}) {
  const panel = useRef<HTMLElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    scrollToPanel(panel.current);
    // Moves the focus only if the job was opened from the list.
    if (document.activeElement?.closest(".jobs") != null) {
      title.current?.focus({ preventScroll: true });
    }
  }, []);
  const { uuid, status, warnings } = job;
  return (
    <section className="panel opened" aria-labelledby="opened-job" ref={panel}>
      <div className="panel-head">
        <h2 id="opened-job" ref={title} tabIndex={-1}>
          <QueryText job={job} />
        </h2>
        <State state={status} />
        <div className="row push">
          <CopyButton text={uuid} size="small">
            Copy uuid
          </CopyButton>
          <JobAction job={job} onChanged={onChanged} variant="danger" />
          <Link className="button" data-size="small" data-variant="plain" href={closeHref}>
            Close
          </Link>
        </div>
      </div>
      <div className="panel-body">
        <div className="two job">
          <Steps steps={jobSteps(job)} />
          <JobFacts job={job} />
        </div>
      </div>
      {warnings.length === 0 ? null : <Warnings warnings={warnings} />}
      <JobProof job={job} />
      <JobSources job={job} />
      <JobCoveragePanel job={job} />
      <JobResult job={job} />
    </section>
  );
}

function Warnings({ warnings }: { warnings: readonly JobWarning[] }) {
  return (
    <div className="panel-part warnings">
      <h3>{quantityText(warnings.length, "warning")}</h3>
      {warnings.map(({ code, message, hint }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same warning may occur twice
        <p key={index}>
          {sentence([message, hint].filter(Boolean).join("; "))}{" "}
          <a href="/docs/errors/warnings">
            <code>{code}</code>
          </a>
        </p>
      ))}
    </div>
  );
}

function NoSuchJob({ filter }: { filter: JobFilter }) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => scrollToPanel(panel.current), []);
  return (
    <section className="panel" ref={panel} role="alert">
      <Empty
        title="Job not found"
        text="It does not exist, was removed some days after it ended, or belongs to another account."
      >
        <Link className="button" data-size="small" href={jobPagePath(filter, null)}>
          Your jobs
        </Link>
      </Empty>
    </section>
  );
}
