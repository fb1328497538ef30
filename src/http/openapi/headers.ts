/** The header fields that openapi.json describes. */
export const describedHeaders = {
  "X-Request-Id": {
    description: "Identifies the request in the log; quote it in problem reports.",
    schema: { type: "string" },
    example: "5f0c3c1e-7f0b-4a55-8a7e-7f3f5a0f3f10",
  },
  "RateLimit-Policy": {
    description: "The key's limits: q requests in w seconds.",
    schema: { type: "string" },
    example: '"burst";q=3;w=1, "search";q=10;w=60',
  },
  RateLimit: {
    description: "What remains of each limit (r), and the seconds until more is available (t).",
    schema: { type: "string" },
    example: '"burst";r=2;t=1, "search";r=9;t=60',
  },
  "Retry-After": {
    description: "Seconds to wait before the next request.",
    schema: { type: "string", pattern: "^[0-9]+$" },
    example: "1",
  },
  Location: {
    description: "The path of the created resource or of the page.",
    schema: { type: "string" },
    example: "/v1/search/live/social/result/0f8fad5b-d9cb-469f-a165-70867728950e",
  },
  "X-Next-Cursor": {
    description: "Present if there are more records: the next_cursor of the next page.",
    schema: { type: "string" },
    example: "AbCdEfGh",
  },
  "X-Coverage": {
    description:
      "Whether the window is completely covered, as a structured field dictionary (RFC 9651).",
    schema: { type: "string" },
    example: 'complete, from="2026-01-24T12:00:00.000Z", to="2026-01-31T12:00:00.000Z", gaps=0',
  },
  "Preference-Applied": {
    description: "Present if the request waited as its Prefer header requested.",
    schema: { type: "string" },
    example: "wait=10",
  },
  "Idempotent-Replayed": {
    description:
      "Present if the response is that of an earlier request with the same Idempotency-Key.",
    schema: { type: "string", const: "true" },
    example: "true",
  },
  "X-Warnings": {
    description: "The warning codes, as a structured field list (RFC 9651).",
    schema: { type: "string" },
    example: '"incomplete_coverage"',
  },
  "X-Truncated": {
    description:
      "Present if max_chars had an effect: the numbers of shortened and omitted posts, as a structured field dictionary (RFC 9651).",
    schema: { type: "string" },
    example: "shortened=3, omitted=0",
  },
  "X-Job-Uuid": {
    description: "The job of the search.",
    schema: { type: "string", format: "uuid" },
    example: "0f8fad5b-d9cb-469f-a165-70867728950e",
  },
  "X-Node": {
    description:
      "The node that produced the result, and its evidence, as a structured field item (RFC 9651).",
    schema: { type: "string" },
    example: '"5b1c7d0e9a2f4c68";evidence=tdx',
  },
  "X-Unsigned": {
    description:
      "Present if a node signed the result and records have since been withdrawn, with their number, as a structured field item (RFC 9651).",
    schema: { type: "string" },
    example: '"withdrawn";records=2',
  },
  "Content-Digest": {
    description: "Of a signed result: the digest of the body (RFC 9530).",
    schema: { type: "string" },
    example: "sha-256=:T1PNoYwrqgwDVLtfmj7L5e0Sq02OEbqHPC8RFhICuUU=:",
  },
  "Earshot-Job": {
    description:
      "Of a signed result: the job, digests of the request and of coverage and sources, and the node's attestation, as a structured field dictionary (RFC 9651).",
    schema: { type: "string" },
    example: 'id="0f8fad5b-d9cb-469f-a165-70867728950e", evidence="tdx", …',
  },
  "Signature-Input": {
    description: "Of a signed result: the covered components (RFC 9421).",
    schema: { type: "string" },
    example: 'earshot=("content-digest" "content-type" "earshot-job");…;tag="earshot-result"',
  },
  Signature: {
    description: "Of a signed result: the node's signature (RFC 9421).",
    schema: { type: "string" },
    example: "earshot=:…:",
  },
  Link: {
    description: "Of a signed result: links to the node's attestation and to the proof.",
    schema: { type: "string" },
    example:
      '</v1/attestations/WlYYyZPAWTBMRBaVzNFBmEHfPSG8bCqvhs_X8wzGmu8>; rel="attestation", </v1/search/live/result/0f8fad5b-d9cb-469f-a165-70867728950e/proof>; rel="proof"',
  },
  "WWW-Authenticate": {
    description: "The authentication scheme, with an error if an invalid key was sent.",
    schema: { type: "string" },
    example: 'Bearer realm="earshot", error="invalid_token"',
  },
  ETag: {
    description: "Identifies this version of the page; send it as If-None-Match.",
    schema: { type: "string" },
    example: '"kFJ0a9gZsC2bX1yLwQe7Rw"',
  },
} as const;

export type HeaderName = keyof typeof describedHeaders;

type ResponseContext = { operationId: string; status: string; isKeyed: boolean };

export function responseHeaders(response: ResponseContext): readonly HeaderName[] {
  return names.filter((name) => rules[name](response));
}

const names = Object.keys(describedHeaders) as HeaderName[];

const submissionOperations = ["submitSearch", "submitSearchByType", "search"];
const statusOperations = ["readStatus", "readStatusWithoutPlatform"];
const resultOperations = ["fetchResult", "fetchResultWithoutPlatform"];
const proofOperations = ["fetchProof", "fetchProofWithoutPlatform"];
const pageOperations = [
  "docs",
  "docsPage",
  "errors",
  "error",
  "decision",
  "reference",
  "referencePage",
  "llms",
];

const rules: Readonly<Record<HeaderName, (response: ResponseContext) => boolean>> = {
  "X-Request-Id": () => true,
  "RateLimit-Policy": hasRateLimits,
  RateLimit: hasRateLimits,
  "Retry-After": ({ isKeyed, operationId, status }) =>
    (isKeyed && ["429", "503"].includes(status)) ||
    (operationId === "readAttestation" && status === "503") ||
    (status === "202" &&
      [...submissionOperations, ...resultOperations, ...proofOperations].includes(operationId)) ||
    (status === "200" && statusOperations.includes(operationId)),
  Location: ({ operationId, status }) =>
    ["201", "302", "308"].includes(status) ||
    (status === "202" && submissionOperations.includes(operationId)),
  "X-Next-Cursor": isResult,
  "X-Coverage": isFromArchive,
  "X-Warnings": isFromArchive,
  "X-Truncated": isSearchResponse,
  "X-Job-Uuid": ({ operationId, status }) =>
    operationId === "search" && ["200", "202", "410", "500", "502", "503", "504"].includes(status),
  "Preference-Applied": ({ operationId, status }) =>
    (status === "202" && submissionOperations.slice(0, 2).includes(operationId)) ||
    (["200", "202"].includes(status) &&
      [...statusOperations, ...resultOperations].includes(operationId)),
  "Idempotent-Replayed": ({ operationId, status }) =>
    [...submissionOperations, "searchRecent"].includes(operationId) &&
    ["200", "202", "410"].includes(status),
  "X-Node": isResult,
  "X-Unsigned": isPlainResult,
  "Content-Digest": isPlainResult,
  "Earshot-Job": isPlainResult,
  "Signature-Input": isPlainResult,
  Signature: isPlainResult,
  Link: (response) => isPlainResult(response) || isSearchResponse(response),
  "WWW-Authenticate": ({ status }) => status === "401",
  ETag: ({ operationId, status }) =>
    pageOperations.includes(operationId) && ["200", "304"].includes(status),
};

function hasRateLimits({ isKeyed, status }: ResponseContext): boolean {
  return isKeyed && !["401", "408", "431"].includes(status);
}

function isPlainResult({ operationId, status }: ResponseContext): boolean {
  return status === "200" && resultOperations.includes(operationId);
}

function isResult({ operationId, status }: ResponseContext): boolean {
  return status === "200" && [...resultOperations, "searchRecent", "search"].includes(operationId);
}

function isFromArchive(response: ResponseContext): boolean {
  return isResult(response) || (response.status === "200" && response.operationId === "countPosts");
}

function isSearchResponse({ operationId, status }: ResponseContext): boolean {
  return status === "200" && operationId === "search";
}
