import { useState } from "preact/compat";
import type {
  AuditEntryResponse,
  AuditResponse,
} from "../../../../src/http/dashboard/contract/audit.ts";
import { AuditTable } from "../../audit/audit-table.tsx";
import { Button } from "../../components/button.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useSignedIn } from "../../session.tsx";
import { usePages } from "../../use-pages.ts";

const collapsedCount = 6;

export function OwnAudit() {
  const {
    rows: entries,
    problem,
    loadMore,
    refresh,
  } = usePages(
    "/dashboard/api/account/audit",
    (response: AuditResponse) => response.entries,
    "before",
  );
  const [isExpanded, setExpanded] = useState(false);
  const { account } = useSignedIn();
  const nameYou = (entry: AuditEntryResponse): AuditEntryResponse =>
    entry.actor === account.name ? { ...entry, actor: "you" } : entry;
  const visibleEntries = isExpanded ? entries : entries?.slice(0, collapsedCount);
  const hasMore = (entries?.length ?? 0) > collapsedCount;
  return (
    <section className="panel" aria-labelledby="audit">
      <div className="panel-head">
        <h2 id="audit">Recent activity</h2>
      </div>
      {problem === undefined ? null : (
        <div className="panel-body">
          <ProblemNote problem={problem} retry={refresh} />
        </div>
      )}
      {visibleEntries === undefined ? null : (
        <AuditTable caption="Recent activity" entries={visibleEntries.map(nameYou)} />
      )}
      {!isExpanded && hasMore ? (
        <div className="panel-foot">
          <Button size="small" variant="plain" onClick={() => setExpanded(true)}>
            Show more
          </Button>
        </div>
      ) : null}
      {isExpanded && loadMore !== null ? (
        <div className="panel-foot">
          <Button size="small" variant="plain" onClick={loadMore}>
            Older
          </Button>
        </div>
      ) : null}
    </section>
  );
}
