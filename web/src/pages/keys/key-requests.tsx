import { useEffect, useRef } from "preact/compat";
import { Link } from "wouter";
import type {
  KeyListingResponse,
  KeyRequestListing,
  KeyRequestsResponse,
} from "../../../../src/http/dashboard/contract/keys.ts";
import { Badge } from "../../components/badge.tsx";
import { Loading } from "../../components/loading.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Ago } from "../../components/time.tsx";
import { durationText } from "../../numbers.ts";
import { useApi } from "../../use-api.ts";

const refreshMs = 10_000;

export function KeyRequests({ listing }: { listing: KeyListingResponse }) {
  const { data, problem, refresh } = useApi<KeyRequestsResponse>(
    `/dashboard/api/keys/${listing.id}/requests`,
    refreshMs,
  );
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="panel" aria-labelledby="requests">
      <div className="panel-head">
        <h2 id="requests" ref={heading} tabIndex={-1}>
          Requests from <bdi>{listing.name}</bdi>
        </h2>
        <Link className="button push" data-size="small" data-variant="plain" href="/keys">
          Close
        </Link>
      </div>
      {problem === undefined ? null : (
        <div className="panel-body">
          <ProblemNote problem={problem} retry={refresh} />
        </div>
      )}
      {data === undefined && problem === undefined ? (
        <div className="panel-body">
          <Loading>Loading requests…</Loading>
        </div>
      ) : null}
      {data?.requests.length === 0 ? (
        <div className="panel-body">
          <p className="quiet">No requests yet.</p>
        </div>
      ) : null}
      {data === undefined || data.requests.length === 0 ? null : (
        <>
          <Table
            caption={`Requests from ${listing.name}`}
            columns={columns}
            rows={data.requests}
            rowKey={({ id }) => id}
          />
          <div className="panel-foot">
            <span>The latest 100 requests, without queries.</span>
          </div>
        </>
      )}
    </section>
  );
}

const columns: readonly Column<KeyRequestListing>[] = [
  { title: "When", cell: ({ at }) => <Ago at={at} /> },
  {
    title: "Request",
    cell: ({ method, route }) => (
      <code className="soft-wrap">
        {method} {route}
      </code>
    ),
  },
  { title: "Status", cell: (request) => <Status listing={request} /> },
  {
    title: "Duration",
    isNumber: true,
    cell: ({ duration_ms: ms }) => <span className="num">{durationText(ms)}</span>,
  },
  { title: "Request ID", isSecondary: true, cell: ({ id }) => <code>{id}</code> },
];

function Status({ listing: { status, code } }: { listing: KeyRequestListing }) {
  if (status < 400) return <Badge>{status}</Badge>;
  return (
    <>
      <Badge tone={status < 500 ? "caution" : "danger"}>{status}</Badge>
      {code === null ? null : (
        <small>
          <a href={`/docs/errors/${code}`}>
            <code>{code}</code>
          </a>
        </small>
      )}
    </>
  );
}
