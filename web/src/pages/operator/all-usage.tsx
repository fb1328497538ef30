import type {
  AccountUsageListing,
  AllUsageResponse,
} from "../../../../src/http/dashboard/contract/operator.ts";
import type { UsageRange } from "../../../../src/http/dashboard/contract/usage.ts";
import { PagedTable } from "../../components/paged-table.tsx";
import type { Column } from "../../components/table.tsx";
import { wholeNumber } from "../../numbers.ts";
import { usePages } from "../../use-pages.ts";
import { accountColumn, NothingListed } from "./account-column.tsx";

export function AllUsage({ account, range }: { account: string | null; range: UsageRange }) {
  const parameters = new URLSearchParams({ range, ...(account === null ? {} : { account }) });
  const list = usePages(
    `/dashboard/api/operator/usage?${parameters}`,
    ({ accounts }: AllUsageResponse) => accounts,
  );
  return (
    <PagedTable
      list={list}
      caption="Usage by account, newest accounts first"
      columns={columns}
      rowKey={(row) => row.account.id}
      empty={<NothingListed title="No usage" />}
    />
  );
}

type CountName = Exclude<keyof AccountUsageListing, "account">;

const countColumn = (title: string, name: CountName): Column<AccountUsageListing> => ({
  title,
  isNumber: true,
  cell: (row) => <span className="num">{wholeNumber(row[name])}</span>,
});

const columns: readonly Column<AccountUsageListing>[] = [
  accountColumn,
  countColumn("Requests", "requests"),
  countColumn("Refused", "refused"),
  countColumn("Failed", "failed"),
  countColumn("Searches", "searches"),
  countColumn("Failed searches", "searches_failed"),
  countColumn("Posts", "posts"),
];
