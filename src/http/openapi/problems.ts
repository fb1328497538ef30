import { problemExample } from "../problems/page.ts";
import { type ProblemCode, problemCodes, problems } from "../problems/problems.ts";

const conditions: Partial<Record<ProblemCode, (context: ProblemContext) => boolean>> = {
  invalid_json: ({ hasBody }) => hasBody,
  invalid_query: ({ hasQuery }) => hasQuery,
  cursor_invalid: ({ hasQuery, path }) => hasQuery || /\/(?:jobs|deliveries)$/.test(path),
  cursor_mismatch: ({ hasQuery }) => hasQuery,
  method_not_supported: ({ isSubmission }) => isSubmission,
  platform_mismatch: ({ isSubmission }) => isSubmission,
  idempotency_mismatch: ({ isSubmission, path }) => isSubmission || path.endsWith("/recent"),
  job_failed: ({ hasJob }) => hasJob,
  upstream_failed: ({ hasJob }) => hasJob,
  method_forbidden: ({ hasQuery }) => hasQuery,
  overloaded: ({ isSubmission, path }) => isSubmission || path.endsWith("/recent"),
  not_found: ({ path }) => path.includes("{platform}") || path.startsWith("/docs"),
  job_not_found: ({ path }) => path.includes("{uuid}") || path.endsWith("/events"),
  webhook_url_refused: ({ path }) => path === "/v1/webhooks",
  proof_not_found: ({ path }) => path.endsWith("/proof"),
  proof_withdrawn: ({ path }) => path.endsWith("/proof"),
  attestation_not_found: ({ path }) => path.startsWith("/v1/attestations/"),
  node_unauthorized: neverDescribed,
  node_not_found: neverDescribed,
  node_not_approved: neverDescribed,
  node_removed: neverDescribed,
  node_refused: neverDescribed,
  lease_lost: neverDescribed,
  node_answer_refused: neverDescribed,
  webhook_not_found: ({ path }) => path.startsWith("/v1/webhooks/{id}"),
  delivery_not_found: ({ path }) => path.includes("{delivery}"),
  too_many_webhooks: ({ path }) => path === "/v1/webhooks",
  key_not_found: ({ path }) => path.startsWith("/dashboard/"),
  first_key_shown: ({ path }) => path.startsWith("/dashboard/"),
  key_ended: ({ path }) => path.startsWith("/dashboard/"),
  too_many_keys: ({ path }) => path.startsWith("/dashboard/"),
  webhook_disabled: ({ path }) => path.startsWith("/v1/webhooks/{id}"),
};

/** OpenAPI does not describe the node protocol. */
function neverDescribed(): boolean {
  return false;
}

type ProblemContext = {
  path: string;
  hasBody: boolean;
  hasQuery: boolean;
  hasJob: boolean;
  isSubmission: boolean;
};

type Operation = {
  operationId: string;
  requestBody?: unknown;
  responses: Readonly<Record<string, unknown>>;
};

export function listProblemCodes(
  path: string,
  operation: Operation,
  status: number,
): readonly ProblemCode[] {
  const { operationId, responses } = operation;
  const isSubmission = operationId.startsWith("submit") || operationId === "search";
  const context: ProblemContext = {
    path,
    isSubmission,
    hasJob: isSubmission || path.includes("{uuid}") || path.endsWith("/recent"),
    hasBody: "415" in responses,
    hasQuery: isSubmission || ["searchRecent", "countPosts"].includes(operationId),
  };
  return codesWithStatus(status).filter((code) => conditions[code]?.(context) ?? true);
}

function codesWithStatus(status: number): readonly ProblemCode[] {
  return problemCodes.filter((code) => problems[code].status === status);
}

export function problemExamples(): Record<string, unknown> {
  return Object.fromEntries(
    problemCodes.map((code) => [
      code,
      { summary: problems[code].title, value: problemExample(code) },
    ]),
  );
}
