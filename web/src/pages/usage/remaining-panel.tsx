import { Link } from "wouter";
import type {
  KeyListingResponse,
  KeysResponse,
} from "../../../../src/http/dashboard/contract/keys.ts";
import { Meter } from "../../components/meter.tsx";
import { Table } from "../../components/table.tsx";
import { wholeNumber } from "../../numbers.ts";
import { useApi } from "../../use-api.ts";

const refreshMs = 4_000;

export function RemainingPanel() {
  const { data } = useApi<KeysResponse>("/dashboard/api/keys", refreshMs);
  return (
    <section className="panel" aria-labelledby="left">
      <div className="panel-head">
        <h2 id="left">Remaining now</h2>
        <span className="push small quiet">per key</span>
      </div>
      {data === undefined ? null : <RemainingTable listing={data} />}
    </section>
  );
}

function RemainingTable({ listing }: { listing: KeysResponse }) {
  const rows = listing.keys.filter(({ left }) => left !== null);
  if (rows.length === 0) {
    return (
      <div className="panel-body">
        <p className="quiet">
          No active keys. <Link href="/keys">Create one</Link> to see its limits here.
        </p>
      </div>
    );
  }
  const keyLimit = (
    key: KeyListingResponse,
    name: "requests_per_second" | "submissions_per_minute",
  ) => key[name] ?? listing.limits[name];
  return (
    <Table
      caption="Limits left, per key"
      columns={[
        {
          title: "Key",
          cell: ({ name }) => (
            <span className="name">
              <bdi>{name}</bdi>
            </span>
          ),
        },
        {
          title: "Searches in 60 s",
          cell: (key) => (
            <Remaining
              remaining={key.left?.submissions ?? 0}
              limit={keyLimit(key, "submissions_per_minute")}
            />
          ),
        },
        {
          title: "Requests in 1 s",
          cell: (key) => (
            <Remaining
              remaining={key.left?.requests ?? 0}
              limit={keyLimit(key, "requests_per_second")}
            />
          ),
        },
      ]}
      rows={rows}
      rowKey={({ id }) => id}
    />
  );
}

const lowShare = 0.2;

function Remaining({ remaining, limit }: { remaining: number; limit: number | null }) {
  if (limit === null) return <span className="soft num">{wholeNumber(remaining)} left</span>;
  const text = `${wholeNumber(remaining)} of ${wholeNumber(limit)} left`;
  const isLow = remaining < limit && remaining <= Math.max(1, lowShare * limit);
  return (
    <span className="soft num">
      {text}
      <Meter value={remaining} max={limit} label={text} tone={isLow ? "caution" : undefined} />
    </span>
  );
}
