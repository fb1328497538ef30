import { type Column, Table } from "../../components/table.tsx";
import { exactTime, shortTime } from "../../components/time.tsx";
import type { JobSource, JobStatus } from "../../jobs/job.ts";
import { dollarText, quantityText, wholeNumber } from "../../numbers.ts";
import { platformNames } from "../../platforms.ts";

export function JobSources({ job: { sources } }: { job: JobStatus }) {
  if (sources.length === 0) return null;
  return (
    <div className="panel-part" data-flush="">
      <h3>Sources</h3>
      <Table
        caption="Sources"
        layout="scroll"
        columns={columns}
        rows={sources}
        rowKey={(source) => `${source.platform} ${source.via} ${sources.indexOf(source)}`}
      />
    </div>
  );
}

const accessLabels: Readonly<Record<JobSource["via"], string>> = {
  archive: "archive",
  credential: "account credential",
  api: "app token",
  public: "no credential",
};

const columns: readonly Column<JobSource>[] = [
  {
    title: "Platform",
    cell: ({ platform }) => <span className="name">{platformNames[platform]}</span>,
  },
  { title: "Access", cell: ({ via }) => accessLabels[via] },
  { title: "From", cell: ({ from }) => (from === null ? "the beginning" : <Moment at={from} />) },
  { title: "To", cell: ({ to }) => <Moment at={to} /> },
  { title: "Found", isNumber: true, cell: ({ count }) => wholeNumber(count) },
  { title: "Cost", isNumber: true, cell: ({ cost }) => <Cost cost={cost} /> },
];

function Moment({ at }: { at: string }) {
  return (
    <time className="nowrap" dateTime={at} title={exactTime(at)}>
      {shortTime(at)}
    </time>
  );
}

function Cost({ cost }: { cost: JobSource["cost"] }) {
  if (cost === undefined) return <span className="quiet">free</span>;
  const { month, post_reads: posts, user_reads: users } = cost;
  return (
    <>
      {dollarText(cost.usd)}
      <small>
        {[
          quantityText(posts, "post"),
          ...(users > 0 ? [quantityText(users, "profile")] : []),
          quantityText(cost.requests, "request"),
        ].join(", ")}
      </small>
      {month === null ? null : (
        <small>
          {wholeNumber(month.post_reads)} of {wholeNumber(month.most_post_reads)} posts in{" "}
          {month.name}
        </small>
      )}
    </>
  );
}
