import "../../components/field.css";
import { Link, useLocation, useSearchParams } from "wouter";
import { Segmented } from "../../components/field.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { parseRange, ranges } from "../../ranges.ts";
import { AccountFilter } from "./account-filter.tsx";
import { AllJobs } from "./all-jobs.tsx";
import { AllKeys } from "./all-keys.tsx";
import { AllUsage } from "./all-usage.tsx";

const lists = [
  { name: "keys", title: "Keys" },
  { name: "jobs", title: "Jobs" },
  { name: "usage", title: "Usage" },
] as const;

type ListName = (typeof lists)[number]["name"];

function activityPath(name: ListName, account: string | null): string {
  return `/activity/${name}${account === null ? "" : `?account=${encodeURIComponent(account)}`}`;
}

/** Shows all accounts, or the one in the address. */
export function ActivityPage() {
  const [path] = useLocation();
  const [searchParams, setSearchParams] = useSearchParams();
  const account = searchParams.get("account");
  const range = parseRange(searchParams.get("range"), "7d");
  const listName = lists.find(({ name }) => name === path.split("/")[2])?.name ?? "keys";
  return (
    <>
      <PageHead
        title="Activity"
        actions={
          <nav className="segmented" aria-label="Lists">
            {lists.map(({ name, title }) => (
              <Link
                key={name}
                href={activityPath(name, account)}
                aria-current={name === listName ? "true" : undefined}
              >
                {title}
              </Link>
            ))}
          </nav>
        }
      >
        Keys, jobs and usage by account.
      </PageHead>
      <div className="panel">
        <div className="panel-body search stack-small">
          <AccountFilter account={account} makePath={(id) => activityPath(listName, id)} />
          {listName === "usage" ? (
            <div>
              <Segmented
                legend="Time shown"
                options={ranges}
                value={range}
                onPick={(picked) =>
                  setSearchParams(
                    { ...(account === null ? {} : { account }), range: picked },
                    { replace: true },
                  )
                }
              />
            </div>
          ) : null}
        </div>
        {listName === "keys" ? <AllKeys account={account} /> : null}
        {listName === "jobs" ? <AllJobs account={account} /> : null}
        {listName === "usage" ? <AllUsage account={account} range={range} /> : null}
      </div>
    </>
  );
}
