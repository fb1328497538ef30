import { Link } from "wouter";
import type { AllKeysAnswer, AnyKeyListing } from "../../../../src/http/dashboard/contract.ts";
import { Badge } from "../../components/badge.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Ago } from "../../components/time.tsx";
import { useApi } from "../../use-api.ts";

/** Keys of all accounts, also of those that no one has signed in to. */
export function AllKeys({ query }: { query: string }) {
  const parameters = query === "" ? "" : `?query=${encodeURIComponent(query)}`;
  const { data, problem, refresh } = useApi<AllKeysAnswer>(
    `/dashboard/api/operator/keys${parameters}`,
  );
  return (
    <section className="panel" aria-labelledby="all-keys">
      <div className="panel-head">
        <h2 id="all-keys">Keys</h2>
        <span className="push small quiet">of all accounts, newest first</span>
      </div>
      {problem === undefined ? null : (
        <div className="panel-body">
          <ProblemNote problem={problem} retry={refresh} />
        </div>
      )}
      {data?.keys.length === 0 ? (
        <div className="panel-body">
          <p className="quiet">{query === "" ? "No keys yet." : "No matching key."}</p>
        </div>
      ) : null}
      {data === undefined || data.keys.length === 0 ? null : (
        <Table
          caption="Keys of all accounts"
          columns={columns}
          rows={data.keys}
          keyOf={({ id }) => id}
        />
      )}
      {data?.is_cut ? (
        <div className="panel-foot">
          <span>{data.keys.length} shown. Search to find older keys.</span>
        </div>
      ) : null}
    </section>
  );
}

const columns: readonly Column<AnyKeyListing>[] = [
  {
    title: "Name",
    cell: ({ name, shown }) => (
      <>
        <span className="name">
          <bdi>{name}</bdi>
        </span>
        <small>
          <code>{shown}</code>
        </small>
      </>
    ),
  },
  {
    title: "Account",
    cell: ({ account }) => (
      <Link href={`/accounts/${account.id}`}>
        <bdi>{account.name}</bdi>
      </Link>
    ),
  },
  {
    title: "Status",
    cell: ({ state }) => (
      <Badge {...(state === "expiring" ? { tone: "caution" as const } : {})}>{state}</Badge>
    ),
  },
  {
    title: "Last used",
    cell: ({ used_at: at, used_from: from }) =>
      at === null ? (
        <span className="quiet">Never</span>
      ) : (
        <>
          <Ago at={at} />
          <small>{from}</small>
        </>
      ),
  },
  {
    title: "Expires",
    isLess: true,
    cell: ({ expires_at: at }) =>
      at === null ? <span className="nowrap">Never</span> : <Ago at={at} />,
  },
];
