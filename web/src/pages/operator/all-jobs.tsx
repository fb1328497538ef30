import type {
  AllJobsResponse,
  AnyJobListing,
} from "../../../../src/http/dashboard/contract/operator.ts";
import { PagedTable } from "../../components/paged-table.tsx";
import { State } from "../../components/state.tsx";
import type { Column } from "../../components/table.tsx";
import { Ago } from "../../components/time.tsx";
import { durationText, wholeNumber } from "../../numbers.ts";
import { platformNames } from "../../platforms.ts";
import { usePages } from "../../use-pages.ts";
import { accountColumn, NothingListed } from "./account-column.tsx";

export function AllJobs({ account }: { account: string | null }) {
  const parameters = account === null ? "" : `?account=${encodeURIComponent(account)}`;
  const list = usePages(
    `/dashboard/api/operator/jobs${parameters}`,
    ({ jobs }: AllJobsResponse) => jobs,
  );
  return (
    <PagedTable
      list={list}
      caption="Jobs, newest first"
      columns={columns}
      rowKey={({ uuid }) => uuid}
      empty={<NothingListed title="No jobs" />}
    />
  );
}

const columns: readonly Column<AnyJobListing>[] = [
  {
    title: "Job",
    cell: ({ uuid, method }) => (
      <>
        <code>{method}</code>
        <small>
          <code className="soft-wrap">{uuid}</code>
        </small>
      </>
    ),
  },
  accountColumn,
  {
    title: "State",
    cell: ({ status, code }) => (
      <>
        <State state={status} />
        {code === null ? null : (
          <small>
            <code>{code}</code>
          </small>
        )}
      </>
    ),
  },
  {
    title: "Platform",
    isSecondary: true,
    cell: ({ platform }) => (platform === "social" ? "all" : platformNames[platform]),
  },
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
  { title: "Submitted", cell: ({ submitted_at: submittedAt }) => <Ago at={submittedAt} /> },
];
