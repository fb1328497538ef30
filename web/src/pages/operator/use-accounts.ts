import useSWRInfinite from "swr/infinite";
import type { AccountListing, AccountsAnswer } from "../../../../src/http/dashboard/contract.ts";
import { type ApiProblem, api } from "../../api.ts";

const path = "/dashboard/api/operator/accounts";

export type AccountList = {
  accounts: readonly AccountListing[] | undefined;
  problem: ApiProblem | undefined;
  /** Null if there are no more or a page is loading. */
  loadMore: (() => void) | null;
  refresh(): Promise<void>;
};

/** Accounts whose login, name or id contains the query, newest first. */
export function useAccounts(query: string): AccountList {
  const { data, error, isLoading, size, setSize, mutate } = useSWRInfinite<
    AccountsAnswer,
    ApiProblem
  >(
    (_at, before: AccountsAnswer | null) => {
      if (before !== null && before.next === null) return null;
      const parameters = new URLSearchParams({
        ...(query === "" ? {} : { query }),
        ...(before?.next == null ? {} : { after: before.next }),
      });
      return parameters.size === 0 ? path : `${path}?${parameters}`;
    },
    (requested: string) => api.get<AccountsAnswer>(requested),
    { shouldRetryOnError: false, keepPreviousData: true },
  );
  const isOnItsMethod = isLoading || (data !== undefined && data.length < size);
  const hasMore = data?.at(-1)?.next != null;
  return {
    accounts: data?.flatMap(({ accounts }) => accounts),
    problem: error,
    loadMore: hasMore && !isOnItsMethod ? () => void setSize(size + 1) : null,
    refresh: async () => {
      await mutate();
    },
  };
}
