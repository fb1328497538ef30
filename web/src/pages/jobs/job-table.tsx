import { useRef } from "react";
import { Link } from "wouter";
import { State } from "../../components/state.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Ago } from "../../components/time.tsx";
import type { JobSummary } from "../../jobs/job.ts";
import { wholeNumber } from "../../numbers.ts";
import { useRowKeys } from "../../use-row-keys.ts";
import { jobAddress, type Shown } from "./filters.ts";
import { JobAction } from "./job-action.tsx";
import { QueryText } from "./query-text.tsx";

export function JobTable({
  jobs,
  shown,
  opened,
  onChanged,
}: {
  jobs: readonly JobSummary[];
  shown: Shown;
  opened: string | null;
  onChanged(): Promise<void>;
}) {
  const frame = useRef<HTMLDivElement>(null);
  useRowKeys(frame, "a.name");
  const columns: readonly Column<JobSummary>[] = [
    {
      title: "Query",
      cell: (job) => (
        <span className="clip">
          <Link className="name" href={jobAddress(shown, job.uuid)}>
            <QueryText job={job} />
          </Link>
        </span>
      ),
    },
    { title: "State", cell: ({ status }) => <State state={status} /> },
    { title: "Method", isLess: true, cell: ({ method }) => <code>{method}</code> },
    {
      title: "Results",
      isNumber: true,
      cell: ({ count }) => (count === null ? null : wholeNumber(count)),
    },
    { title: "Submitted", cell: ({ submitted_at: at }) => <Ago at={at} /> },
    {
      title: "Actions",
      isActions: true,
      cell: (job) => <JobAction job={job} onChanged={onChanged} variant="plain" />,
    },
  ];
  return (
    <div className="jobs" ref={frame}>
      <Table
        caption="Jobs, newest first"
        columns={columns}
        rows={jobs}
        keyOf={({ uuid }) => uuid}
        isCurrent={({ uuid }) => uuid === opened}
      />
    </div>
  );
}
