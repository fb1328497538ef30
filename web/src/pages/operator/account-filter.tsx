import { useState } from "preact/compat";
import { Link } from "wouter";
import type {
  AccountReference,
  AccountsResponse,
} from "../../../../src/http/dashboard/contract/operator.ts";
import { Field } from "../../components/field.tsx";
import { useDebounced } from "../../components/use-debounced.ts";
import { useApi } from "../../use-api.ts";

const accountsPath = "/dashboard/api/operator/accounts";
const maxOffered = 8;

type FilterProps = {
  title?: string;
  /** In addition to accounts. */
  others?: readonly AccountReference[];
  account: string | null;
  /** Null means all accounts. */
  makeAddress(account: string | null): string;
};

export function AccountFilter({
  title = "Account",
  others = [],
  account,
  makeAddress,
}: FilterProps) {
  return account === null ? (
    <AccountSearch title={title} others={others} makeAddress={makeAddress} />
  ) : (
    <SelectedAccount title={title} others={others} account={account} makeAddress={makeAddress} />
  );
}

function AccountSearch({ title, others, makeAddress }: Omit<Required<FilterProps>, "account">) {
  const [query, setQuery] = useState("");
  const settled = useDebounced(query.trim());
  const { data } = useApi<AccountsResponse>(
    settled === "" ? null : `${accountsPath}?query=${encodeURIComponent(settled)}`,
  );
  const accounts = settled === "" ? others : data?.accounts.slice(0, maxOffered);
  return (
    <search className="stack-small">
      <Field
        label={title}
        type="search"
        value={query}
        placeholder="Part of a login, a name or an ID"
        maxLength={100}
        onChange={(event) => setQuery(event.currentTarget.value)}
      />
      {accounts === undefined || (settled === "" && accounts.length === 0) ? null : (
        <div className="row" role="status">
          {accounts.length === 0 ? <span className="small quiet">No matching account.</span> : null}
          {accounts.map(({ id, name }) => (
            <Link key={id} className="button" data-size="small" href={makeAddress(id)}>
              <bdi>{name}</bdi>
            </Link>
          ))}
        </div>
      )}
    </search>
  );
}

function SelectedAccount({
  title,
  others,
  account: id,
  makeAddress,
}: Omit<Required<FilterProps>, "account"> & { account: string }) {
  const other = others.find((known) => known.id === id);
  const { data } = useApi<AccountsResponse>(
    other === undefined ? `${accountsPath}?query=${encodeURIComponent(id)}` : null,
  );
  const account = data?.accounts.find((found) => found.id === id);
  return (
    <div className="row">
      <p className="small">
        {title}: {other === undefined ? null : other.name}
        {other === undefined && account === undefined ? <code>{id}</code> : null}
        {account === undefined ? null : (
          <Link href={`/accounts/${id}`}>
            <bdi>{account.name}</bdi>
          </Link>
        )}
      </p>
      <Link
        className="button"
        data-size="small"
        href={makeAddress(null)}
        aria-label={`Remove the filter ${title}`}
      >
        Remove
      </Link>
    </div>
  );
}
