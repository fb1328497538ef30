import { useRef } from "preact/compat";
import { Link } from "wouter";
import type { AppsResponse } from "../../../../src/http/dashboard/contract/connect.ts";
import type { KeysResponse } from "../../../../src/http/dashboard/contract/keys.ts";
import { State } from "../../components/state.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Ago } from "../../components/time.tsx";
import type { JobSummary } from "../../jobs/job.ts";
import { dollarText, durationText, wholeNumber } from "../../numbers.ts";
import { platformNames } from "../../platforms.ts";
import { useApi } from "../../use-api.ts";
import { useRowKeys } from "../../use-row-keys.ts";
import { type JobFilter, jobPagePath } from "./filters.ts";
import { JobAction } from "./job-action.tsx";
import { QueryText } from "./query-text.tsx";

export function JobTable({
  jobs,
  filter,
  openedUuid,
  isCompact,
  onChanged,
}: {
  jobs: readonly JobSummary[];
  filter: JobFilter;
  openedUuid: string | null;
  /** The table is beside an opened job. */
  isCompact: boolean;
  onChanged(): Promise<void>;
}) {
  const frame = useRef<HTMLDivElement>(null);
  useRowKeys(frame, "a.name");
  const nameOf = useKeyNames();
  const key: Column<JobSummary> = {
    title: "Key",
    isSecondary: true,
    cell: ({ key }) => <bdi className="clip">{nameOf(key)}</bdi>,
  };
  const actions: Column<JobSummary> = {
    title: "Actions",
    isActions: true,
    cell: (job) => <JobAction job={job} onChanged={onChanged} variant="plain" />,
  };
  const columns: readonly Column<JobSummary>[] = [
    {
      title: "Query",
      cell: (job) => (
        <span className="clip">
          <Link className="name" href={jobPagePath(filter, job.uuid)}>
            <QueryText job={job} />
          </Link>
        </span>
      ),
    },
    { title: "State", cell: ({ status }) => <State state={status} /> },
    ...(isCompact ? [] : [...descriptionColumns, key, ...figures]),
    { title: "Submitted", cell: ({ submitted_at: submittedAt }) => <Ago at={submittedAt} /> },
    ...(isCompact ? [] : [actions]),
  ];
  return (
    <div className="jobs" ref={frame}>
      <Table
        caption="Jobs, newest first"
        columns={columns}
        rows={jobs}
        rowKey={({ uuid }) => uuid}
        isCurrent={({ uuid }) => uuid === openedUuid}
      />
    </div>
  );
}

const descriptionColumns: readonly Column<JobSummary>[] = [
  {
    title: "Platform",
    cell: ({ platform }) => (platform === "social" ? "all" : platformNames[platform]),
  },
  { title: "Method", isSecondary: true, cell: ({ method }) => <code>{method}</code> },
];

const figures: readonly Column<JobSummary>[] = [
  {
    title: "Results",
    isNumber: true,
    cell: ({ count }) => (count === null ? null : wholeNumber(count)),
  },
  {
    title: "Duration",
    isNumber: true,
    isSecondary: true,
    cell: ({ submitted_at: from, finished_at: to }) =>
      to === null ? null : durationText(Date.parse(to) - Date.parse(from)),
  },
  {
    title: "Cost",
    isNumber: true,
    isSecondary: true,
    cell: ({ cost_usd: usd }) => (usd === null ? null : dollarText(usd)),
  },
];

/** The names of keys and connected apps; null is the dashboard. */
function useKeyNames(): (key: string | null) => string {
  const { data: keys } = useApi<KeysResponse>("/dashboard/api/keys");
  const { data: apps } = useApi<AppsResponse>("/dashboard/api/apps");
  const callers = [...(keys?.keys ?? []), ...(apps?.apps ?? [])];
  return (key) =>
    key === null ? "Dashboard" : (callers.find(({ id }) => id === key)?.name ?? key);
}
