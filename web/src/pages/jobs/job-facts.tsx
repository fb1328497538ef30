import type { ReactNode } from "preact/compat";
import type { StatusResponse } from "../../../../src/http/dashboard/contract/status.ts";
import { Ago, exactTime } from "../../components/time.tsx";
import { isRunning, type JobStatus } from "../../jobs/job.ts";
import { EvidenceBadge } from "../../nodes/evidence-badge.tsx";
import { quantityText } from "../../numbers.ts";
import { platformNames } from "../../platforms.ts";
import { useApi } from "../../use-api.ts";

export function JobFacts({ job }: { job: JobStatus }) {
  const { uuid, platform, type, method, coverage, expires_at: expiresAt } = job;
  return (
    <dl className="facts">
      <Fact name="uuid">
        <code>{uuid}</code>
      </Fact>
      <Fact name="Request">
        {platform === "social" ? "all platforms" : platformNames[platform]}, <code>{method}</code>
        {type === "social" ? null : (
          <>
            , <code>{type}</code>
          </>
        )}
      </Fact>
      {job.canonical_query === job.query ? null : (
        <Fact name="Interpreted as">
          <code>{job.canonical_query}</code>
        </Fact>
      )}
      {coverage === null ? null : (
        <Fact name="Time">
          {coverage.from === null ? "the beginning" : exactTime(coverage.from)} to{" "}
          {exactTime(coverage.to)}
        </Fact>
      )}
      <Fact name="Result">{resultText(job)}</Fact>
      {expiresAt === null || job.status !== "done" ? null : (
        <Fact name="Available until">
          <time dateTime={expiresAt}>{exactTime(expiresAt)}</time>,{" "}
          <span className="quiet">
            <Ago at={expiresAt} />
          </span>
        </Fact>
      )}
      {job.node === null ? null : <NodeFact id={job.node} evidence={job.evidence} />}
    </dl>
  );
}

function resultText({ status, count, complete, next_cursor: next }: JobStatus): string {
  if (isRunning(status)) return "pending";
  if (count === null || status !== "done") return "none";
  const completeness = complete ? "complete" : "incomplete";
  return `${quantityText(count, "result")}, ${completeness}${next === null ? "" : ". More pages available."}`;
}

function NodeFact({ id, evidence }: { id: string; evidence: JobStatus["evidence"] }) {
  const { data } = useApi<StatusResponse>("/dashboard/api/status?range=24h");
  const node = data?.nodes.find((other) => other.id === id);
  return (
    <Fact name="Node">
      {node === undefined || node.name === id ? null : (
        <>
          <bdi>{node.name}</bdi>{" "}
        </>
      )}
      <code>{id}</code> {evidence === null ? null : <EvidenceBadge evidence={evidence} />}
      {/* The node's current evidence may differ. */}
      {node === undefined || node.evidence !== evidence ? null : (
        <>
          <br />
          <span className="quiet">Proves: {node.proves}</span>
          <br />
          <span className="quiet">Does not prove: {node.does_not_prove}</span>
        </>
      )}
    </Fact>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
