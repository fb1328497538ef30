import { useState } from "react";
import { Link, useSearch } from "wouter";
import type { AccountsAnswer, AuditAnswer } from "../../../../src/http/dashboard/contract.ts";
import { api } from "../../api.ts";
import { AuditTable } from "../../audit/audit-table.tsx";
import { useAudit } from "../../audit/use-audit.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Field } from "../../components/field.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useAction } from "../../components/use-action.ts";
import { useSettled } from "../../components/use-settled.ts";
import { saveFile } from "../../save-file.ts";
import { useApi } from "../../use-api.ts";

const accountsPath = "/dashboard/api/operator/accounts";

/** Filtered by the account in the address. */
export function AuditPage() {
  const account = new URLSearchParams(useSearch()).get("account");
  const parameters = account === null ? "" : `?account=${encodeURIComponent(account)}`;
  const { entries, problem, loadOlder, refresh } = useAudit(
    `/dashboard/api/operator/audit${parameters}`,
  );
  return (
    <>
      <PageHead title="Audit log">
        Sign-ins, keys, limits and operator actions. Entries never change. They outlive a deleted
        account, without its name.
      </PageHead>
      <div className="panel">
        <div className="panel-body search">
          {account === null ? <AccountFilter /> : <FilteredBy id={account} />}
          <ExportAudit path={`/dashboard/api/operator/audit${parameters}`} />
        </div>
        {problem === undefined ? null : (
          <div className="panel-body">
            <ProblemNote problem={problem} retry={refresh} />
          </div>
        )}
        {entries?.length === 0 ? (
          <Empty title="No entries" text="There are no entries for this account yet." />
        ) : null}
        {entries === undefined || entries.length === 0 ? null : (
          <AuditTable caption="Audit log" entries={entries} isOfAll={account === null} />
        )}
        {loadOlder === null ? null : (
          <div className="panel-foot">
            <Button size="small" variant="plain" onClick={loadOlder}>
              Older
            </Button>
          </div>
        )}
      </div>
    </>
  );
}

/** All entries of the filter, one JSON object a line. */
function ExportAudit({ path }: { path: string }) {
  const { isUnderWay, problem, run } = useAction();
  const save = () =>
    run(async () => {
      const lines: string[] = [];
      let before = "";
      for (;;) {
        const { entries, next } = await api.get<AuditAnswer>(`${path}${before}`);
        lines.push(...entries.map((entry) => `${JSON.stringify(entry)}\n`));
        if (next === null) break;
        before = `${path.includes("?") ? "&" : "?"}before=${next}`;
      }
      saveFile(new Blob(lines, { type: "application/x-ndjson" }), "audit-log.ndjson");
    });
  return (
    <div className="row">
      <Button size="small" disabled={isUnderWay} onClick={() => void save()}>
        {isUnderWay ? "Exporting…" : "Export as NDJSON"}
      </Button>
      {problem === null ? null : <ProblemNote problem={problem} />}
    </div>
  );
}

const mostOffered = 8;

function AccountFilter() {
  const [query, setQuery] = useState("");
  const settled = useSettled(query.trim());
  const { data } = useApi<AccountsAnswer>(
    settled === "" ? null : `${accountsPath}?query=${encodeURIComponent(settled)}`,
  );
  const found = settled === "" ? [] : (data?.accounts ?? []).slice(0, mostOffered);
  return (
    <search className="stack-small">
      <Field
        label="Filter by account"
        type="search"
        value={query}
        placeholder="Part of a login, a name or an id"
        maxLength={100}
        onChange={(event) => setQuery(event.target.value)}
      />
      {settled === "" || data === undefined ? null : (
        <div className="row" role="status">
          {found.length === 0 ? <span className="small quiet">No matching account.</span> : null}
          {found.map(({ id, name }) => (
            <Link key={id} className="button" data-size="small" href={`/audit?account=${id}`}>
              <bdi>{name}</bdi>
            </Link>
          ))}
        </div>
      )}
    </search>
  );
}

function FilteredBy({ id }: { id: string }) {
  const { data } = useApi<AccountsAnswer>(`${accountsPath}?query=${encodeURIComponent(id)}`);
  const account = data?.accounts.find((found) => found.id === id);
  return (
    <div className="row">
      <p className="small">
        Account:{" "}
        {account === undefined ? (
          <code>{id}</code>
        ) : (
          <Link href={`/accounts/${id}`}>
            <bdi>{account.name}</bdi>
          </Link>
        )}
      </p>
      <Link className="button" data-size="small" href="/audit">
        Show all
      </Link>
    </div>
  );
}
