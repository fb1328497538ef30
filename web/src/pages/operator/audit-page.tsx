import { useLocation, useSearch } from "wouter";
import type { AuditResponse } from "../../../../src/http/dashboard/contract/audit.ts";
import { api } from "../../api.ts";
import { type AuditAction, auditActions } from "../../audit/audit-sentence.ts";
import { auditColumns } from "../../audit/audit-table.tsx";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Field, LabelledSelect } from "../../components/field.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { PagedTable } from "../../components/paged-table.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useAction } from "../../components/use-action.ts";
import { saveFile } from "../../save-file.ts";
import { usePages } from "../../use-pages.ts";
import { AccountFilter } from "./account-filter.tsx";
import {
  type AuditFilters,
  actionLabel,
  auditPagePath,
  auditPath,
  filtersIn,
} from "./audit-filters.ts";

/** The address contains the filters. */
export function AuditPage() {
  const filters = filtersIn(new URLSearchParams(useSearch()));
  const path = auditPath(filters);
  const list = usePages(path, ({ entries }: AuditResponse) => entries, "before");
  return (
    <>
      <PageHead title="Audit log">
        Sign-ins, keys, limits and operator actions. Entries never change. They remain after an
        account is deleted, without its name.
      </PageHead>
      <div className="panel">
        <div className="panel-body search stack-small">
          <Filters filters={filters} />
          <ExportAudit path={path} />
        </div>
        <PagedTable
          list={list}
          caption="Audit log"
          columns={auditColumns}
          rowKey={({ sequence }) => String(sequence)}
          empty={<Empty title="No entries" text="No entry matches these filters." />}
          moreLabel="Older"
        />
      </div>
    </>
  );
}

const anyAction = "";

const actions: readonly { value: AuditAction | typeof anyAction; label: string }[] = [
  { value: anyAction, label: "Any" },
  ...auditActions.map((value) => ({ value, label: actionLabel(value) })),
];

const otherActors = [
  { id: "command_line", name: "The command line" },
  { id: "service", name: "The server" },
];

function Filters({ filters }: { filters: AuditFilters }) {
  const [, navigate] = useLocation();
  const changeFilter = (name: keyof AuditFilters, value: string | null) => {
    const { [name]: _removed, ...rest } = filters;
    return auditPagePath({
      ...rest,
      ...(value === null || value === anyAction ? {} : { [name]: value }),
    });
  };
  const setFilter = (name: keyof AuditFilters, value: string) =>
    navigate(changeFilter(name, value), { replace: true });
  return (
    <div className="stack-small">
      <AccountFilter
        account={filters.account ?? null}
        makePath={(id) => changeFilter("account", id)}
      />
      <AccountFilter
        title="By"
        others={otherActors}
        account={filters.actor ?? null}
        makePath={(id) => changeFilter("actor", id)}
      />
      <div className="row">
        <LabelledSelect
          label="Action"
          options={actions}
          value={filters.action ?? anyAction}
          onPick={(picked) => setFilter("action", picked)}
        />
        <Field
          label="From"
          type="date"
          value={filters.from ?? ""}
          onChange={(event) => setFilter("from", event.currentTarget.value)}
        />
        <Field
          label="To"
          type="date"
          value={filters.to ?? ""}
          onChange={(event) => setFilter("to", event.currentTarget.value)}
        />
      </div>
    </div>
  );
}

/** Exports one JSON object per line. */
function ExportAudit({ path }: { path: string }) {
  const { isPending, problem, run } = useAction();
  const save = () =>
    run(async () => {
      const lines: string[] = [];
      let pageParameter = "";
      for (;;) {
        const { entries, next } = await api.get<AuditResponse>(`${path}${pageParameter}`);
        lines.push(...entries.map((entry) => `${JSON.stringify(entry)}\n`));
        if (next === null) break;
        pageParameter = `${path.includes("?") ? "&" : "?"}before=${next}`;
      }
      saveFile(new Blob(lines, { type: "application/x-ndjson" }), "audit-log.ndjson");
    });
  return (
    <div className="row">
      <Button size="small" disabled={isPending} onClick={() => void save()}>
        {isPending ? "Exporting…" : "Export as NDJSON"}
      </Button>
      {problem === null ? null : <ProblemNote problem={problem} />}
    </div>
  );
}
