import { Link } from "wouter";
import type { SpendingResponse } from "../../../../src/http/dashboard/contract/account.ts";
import { Loading } from "../../components/loading.tsx";
import { Meter } from "../../components/meter.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useApi } from "../../use-api.ts";
import { budgetText, type DeploymentSpending, isNearlySpent, spentText } from "./spending-text.ts";

/** What X bills this month. */
export function Spending() {
  const { data, problem, refresh } = useApi<SpendingResponse>("/dashboard/api/spending");
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

function Figures({ spending: { own, shared, deployment } }: { spending: SpendingResponse }) {
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
      {deployment === null ? null : <Budget deployment={deployment} />}
      {shared === null ? null : (
        <p>
          <span className="label">You, with shared credentials:</span> {spentText(shared)}.
        </p>
      )}
      {own === null ? null : (
        <p>
          <span className="label">Your credentials:</span> {spentText(own)}, billed to you by X. No
          budget applies.
        </p>
      )}
    </div>
  );
}

function Budget({ deployment }: { deployment: DeploymentSpending }) {
  const text = budgetText(deployment);
  return (
    <div>
      <p>
        <span className="label">Shared credentials:</span> {text}
      </p>
      <Meter
        value={deployment.post_reads}
        max={deployment.most_post_reads}
        label={text}
        tone={isNearlySpent(deployment) ? "caution" : undefined}
      />
      <p className="small quiet">The budget is shared by all accounts.</p>
    </div>
  );
}
