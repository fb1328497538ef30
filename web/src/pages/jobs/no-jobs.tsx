import { Link } from "wouter";
import { Empty } from "../../components/empty.tsx";
import { isNarrowed, type JobFilter } from "./filters.ts";

/** `hasOlder`: older jobs have not been searched yet. */
export function NoJobs({ filter, hasOlder }: { filter: JobFilter; hasOlder: boolean }) {
  if (filter.shown === "all" && !isNarrowed(filter)) {
    return (
      <Empty
        title="No jobs yet"
        text="Every search is a job, including those from the playground. Your jobs appear here as they run."
      >
        <Link className="button" data-size="small" data-variant="primary" href="/playground">
          Open the playground
        </Link>
      </Empty>
    );
  }
  const kind = isNarrowed(filter) ? "matching" : filter.shown;
  return (
    <Empty
      title={hasOlder ? `No ${kind} jobs found so far` : `No ${kind} jobs`}
      text={`New ${kind} jobs appear here.`}
    >
      <Link className="button" data-size="small" href="/jobs">
        All jobs
      </Link>
    </Empty>
  );
}
