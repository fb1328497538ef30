import { useState } from "preact/compat";
import type {
  AllKeysResponse,
  AnyKeyListing,
} from "../../../../src/http/dashboard/contract/operator.ts";
import { Badge } from "../../components/badge.tsx";
import { Field } from "../../components/field.tsx";
import { PagedTable } from "../../components/paged-table.tsx";
import type { Column } from "../../components/table.tsx";
import { Ago } from "../../components/time.tsx";
import { useDebounced } from "../../components/use-debounced.ts";
import { usePages } from "../../use-pages.ts";
import { accountColumn, NothingListed } from "./account-column.tsx";

/** Includes keys of accounts never signed in to. */
export function AllKeys({ account }: { account: string | null }) {
  const [query, setQuery] = useState("");
  const debouncedQuery = useDebounced(query.trim());
  const parameters = new URLSearchParams({
    ...(debouncedQuery === "" ? {} : { query: debouncedQuery }),
    ...(account === null ? {} : { account }),
  });
  const list = usePages(
    `/dashboard/api/operator/keys${parameters.size === 0 ? "" : `?${parameters}`}`,
    ({ keys }: AllKeysResponse) => keys,
  );
  return (
    <>
      <search className="panel-body">
        <Field
          label="Find a key"
          type="search"
          value={query}
          placeholder="Part of a name or an id"
          maxLength={100}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
      </search>
      <PagedTable
        list={list}
        caption="Keys, newest first"
        columns={columns}
        rowKey={({ id }) => id}
        empty={<NothingListed title="No keys" />}
      />
    </>
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
  accountColumn,
  {
    title: "Status",
    cell: ({ state }) => (
      <Badge {...(state === "expiring" ? { tone: "caution" as const } : {})}>{state}</Badge>
    ),
  },
  {
    title: "Last used",
    cell: ({ used_at: usedAt, used_from: from }) =>
      usedAt === null ? (
        <span className="quiet">Never</span>
      ) : (
        <>
          <Ago at={usedAt} />
          <small>{from}</small>
        </>
      ),
  },
  {
    title: "Expires",
    isSecondary: true,
    cell: ({ expires_at: expiresAt }) =>
      expiresAt === null ? <span className="nowrap">Never</span> : <Ago at={expiresAt} />,
  },
];
