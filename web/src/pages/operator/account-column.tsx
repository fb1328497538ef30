import { Link } from "wouter";
import type { AccountReference } from "../../../../src/http/dashboard/contract/operator.ts";
import { Empty } from "../../components/empty.tsx";

export const accountColumn = {
  title: "Account",
  cell: ({ account }: { account: AccountReference }) => (
    <Link href={`/accounts/${account.id}`}>
      <bdi>{account.name}</bdi>
    </Link>
  ),
};

export function NothingListed({ title }: { title: string }) {
  return <Empty title={title} text="Nothing here matches the filter." />;
}
