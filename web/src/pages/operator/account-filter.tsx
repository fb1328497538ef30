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
const maxSuggestions = 8;

type FilterProps = {
  title?: string;
  /** In addition to accounts. */
  others?: readonly AccountReference[];
  account: string | null;
  /** Null means all accounts. */
  makePath(account: string | null): string;
};

export function AccountFilter({ title = "Account", others = [], account, makePath }: FilterProps) {
  return account === null ? (
    <AccountSearch title={title} others={others} makePath={makePath} />
  ) : (
    <SelectedAccount title={title} others={others} account={account} makePath={makePath} />
  );
}

function AccountSearch({ title, others, makePath }: Omit<Required<FilterProps>, "account">) {
  const [query, setQuery] = useState("");
  const debouncedQuery = useDebounced(query.trim());
  const { data } = useApi<AccountsResponse>(
    debouncedQuery === "" ? null : `${accountsPath}?query=${encodeURIComponent(debouncedQuery)}`,
  );
  const accounts = debouncedQuery === "" ? others : data?.accounts.slice(0, maxSuggestions);
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
      {accounts === undefined || (debouncedQuery === "" && accounts.length === 0) ? null : (
        <div className="row" role="status">
          {accounts.length === 0 ? <span className="small quiet">No matching account.</span> : null}
          {accounts.map(({ id, name }) => (
            <Link key={id} className="button" data-size="small" href={makePath(id)}>
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
  makePath,
}: Omit<Required<FilterProps>, "account"> & { account: string }) {
  const otherAccount = others.find((known) => known.id === id);
  const { data } = useApi<AccountsResponse>(
    otherAccount === undefined ? `${accountsPath}?query=${encodeURIComponent(id)}` : null,
  );
  const account = data?.accounts.find((found) => found.id === id);
  return (
    <div className="row">
      <p className="small">
        {title}: {otherAccount === undefined ? null : otherAccount.name}
        {otherAccount === undefined && account === undefined ? <code>{id}</code> : null}
        {account === undefined ? null : (
          <Link href={`/accounts/${id}`}>
            <bdi>{account.name}</bdi>
          </Link>
        )}
      </p>
      <Link
        className="button"
        data-size="small"
        href={makePath(null)}
        aria-label={`Remove the ${title} filter`}
      >
        Remove
      </Link>
    </div>
  );
}
