import { Link } from "wouter";
import type { SpendingAnswer } from "../../../../src/http/dashboard/contract/account.ts";
import { Loading } from "../../components/loading.tsx";
import { Meter } from "../../components/meter.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { counted, wholeNumber } from "../../numbers.ts";
import { useApi } from "../../use-api.ts";
import { budgetText, dollars, isNearlySpent } from "./spending-text.ts";

/** What X bills this month. */
export function Spending() {
  const { data, problem, refresh } = useApi<SpendingAnswer>("/dashboard/api/spending");
  return (
    <section className="panel" aria-labelledby="spending">
      <div className="panel-head">
        <h2 id="spending">Spending on X</h2>
        <span className="push small quiet">{data === undefined ? null : `${data.month}, UTC`}</span>
      </div>
      <div className="panel-body">
        {problem === undefined ? null : <ProblemNote problem={problem} retry={refresh} />}
        {data === undefined && problem === undefined ? <Loading>Loading spending…</Loading> : null}
        {data === undefined ? null : <Figures spending={data} />}
      </div>
    </section>
  );
}

function Figures({ spending: { own, shared } }: { spending: SpendingAnswer }) {
  if (own === null && shared === null) {
    return (
      <p className="quiet">
        No X credential, so X bills nothing. <Link href="/credentials">Connect one</Link> to search
        X.
      </p>
    );
  }
  return (
    <div className="stack-small">
      {shared === null ? null : (
        <div>
          <p>
            <span className="label">Shared credentials:</span> {budgetText(shared)}
          </p>
          <Meter
            value={shared.post_reads}
            max={shared.most_post_reads}
            label={budgetText(shared)}
            tone={isNearlySpent(shared) ? "caution" : undefined}
          />
          <p className="small quiet">The budget is shared by all accounts.</p>
        </div>
      )}
      {own === null ? null : (
        <p>
          <span className="label">Your credentials:</span> {dollars(own.usd)} for{" "}
          {counted(own.post_reads, "post")} and {wholeNumber(own.user_reads)} profiles, billed to
          you by X. No budget applies.
        </p>
      )}
    </div>
  );
}
