import { useState } from "preact/compat";
import { Link, useLocation } from "wouter";
import type {
  AccountListingResponse,
  AccountsResponse,
} from "../../../../src/http/dashboard/contract/operator.ts";
import { Badge } from "../../components/badge.tsx";
import { Empty } from "../../components/empty.tsx";
import { Field } from "../../components/field.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { PagedTable } from "../../components/paged-table.tsx";
import type { Column } from "../../components/table.tsx";
import { Ago } from "../../components/time.tsx";
import { useDebounced } from "../../components/use-debounced.ts";
import { useApi } from "../../use-api.ts";
import { usePages } from "../../use-pages.ts";
import { AccountPanel } from "./account-panel.tsx";
import { NoProviderNote } from "./no-provider-note.tsx";

const accountsPath = "/dashboard/api/operator/accounts";

export function AccountsPage() {
  const [path] = useLocation();
  const [query, setQuery] = useState("");
  const debouncedQuery = useDebounced(query.trim());
  const list = usePages(
    debouncedQuery === ""
      ? accountsPath
      : `${accountsPath}?query=${encodeURIComponent(debouncedQuery)}`,
    ({ accounts }: AccountsResponse) => accounts,
  );
  const openedId = path.split("/")[2] ?? null;
  const openedAccount = useOpenedAccount(openedId, list.rows);
  return (
    <>
      <PageHead title="Accounts">
        All accounts of this installation. Your changes are recorded in the{" "}
        <Link href="/audit">audit log</Link>.
      </PageHead>
      <div className="stack">
        <NoProviderNote />
        <div className="panel">
          <search className="panel-body search">
            <Field
              label="Find an account"
              type="search"
              value={query}
              placeholder="Part of a login, a name or an ID"
              maxLength={100}
              onChange={(event) => setQuery(event.currentTarget.value)}
            />
          </search>
          <PagedTable
            list={list}
            caption="Accounts"
            columns={columns}
            rowKey={({ id }) => id}
            isCurrent={({ id }) => id === openedId}
            empty={
              <Empty
                title="No matching account"
                text={`No login, name or ID contains “${query.trim()}”. Case does not matter.`}
              />
            }
          />
        </div>
        {openedAccount.account === null ? null : (
          <AccountPanel
            key={openedAccount.account.id}
            account={openedAccount.account}
            onChanged={async () => {
              await Promise.all([list.refresh(), openedAccount.refresh()]);
            }}
          />
        )}
      </div>
    </>
  );
}

const columns: readonly Column<AccountListingResponse>[] = [
  {
    title: "Account",
    cell: (account) => (
      <>
        <Link className="name" href={`/accounts/${account.id}`}>
          <bdi>{account.name}</bdi>
        </Link>
        <small>
          {account.provider === null ? "" : `${account.provider}, `}
          <code>{account.id}</code>
        </small>
      </>
    ),
  },
  {
    title: "Status",
    cell: ({ role, suspended_at: suspendedAt }) => (
      <span className="badges">
        {suspendedAt === null ? null : <Badge tone="danger">suspended</Badge>}
        {role === "operator" ? <Badge tone="accent">operator</Badge> : <Badge>member</Badge>}
      </span>
    ),
  },
  { title: "Keys", isNumber: true, cell: ({ keys }) => <span className="num">{keys}</span> },
  {
    title: "Searches, 24 h",
    isNumber: true,
    cell: ({ searches_24h: searches }) => <span className="num">{searches.toLocaleString()}</span>,
  },
  {
    title: "Last seen",
    cell: ({ seen_at: seenAt }) =>
      seenAt === null ? <span className="quiet">Never</span> : <Ago at={seenAt} />,
  },
  {
    title: "Created",
    isSecondary: true,
    cell: ({ created_at: createdAt }) => <Ago at={createdAt} />,
  },
];

/** The account from the list, or else requested by id. */
function useOpenedAccount(
  id: string | null,
  listedAccounts: readonly AccountListingResponse[] | undefined,
) {
  const listedAccount = listedAccounts?.find((account) => account.id === id) ?? null;
  const isRequested = id !== null && listedAccounts !== undefined && listedAccount === null;
  const { data, refresh } = useApi<AccountsResponse>(
    isRequested ? `${accountsPath}?query=${encodeURIComponent(id)}` : null,
  );
  const openedAccount = data?.accounts.find((account) => account.id === id) ?? null;
  return { account: id === null ? null : (listedAccount ?? openedAccount), refresh };
}
