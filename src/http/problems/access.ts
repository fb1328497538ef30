import type { ProblemDefinition } from "./definition.ts";

/** The caller may not do this (401, 403). */
export const accessProblems = {
  unauthorized: {
    status: 401,
    title: "Missing or invalid API key",
    retryable: false,
    cause:
      "The request has no API key, or the key is malformed, unknown, revoked or expired; the answer does not say which. Open requests get 401 when their key ends. Many different invalid keys from one address lead to [`too_many_failed_keys`](README.md#too_many_failed_keys).",
    fix: [
      "Send `Authorization: Bearer <key>`. Keys start with `ear_`.",
      "Without a key, the hint says where to get one: the dashboard if sign-up is enabled, else `earshot keys create`.",
      '`WWW-Authenticate` contains `error="invalid_token"` only if a key was sent (RFC 6750).',
      "The dashboard's Keys page and `earshot keys list` show which keys are revoked or expired.",
      "A key is shown once, at creation. Create another one if it is lost.",
    ],
    example: {
      request: "A search without the header `Authorization`.",
      detail: "an API key is needed",
      hint: "send the header Authorization: Bearer <API_KEY>; earshot keys create --name NAME makes a key",
      isSubmission: true,
    },
  },
  session_needed: {
    status: 401,
    title: "Sign-in required",
    retryable: false,
    cause:
      "A dashboard path was requested without a valid session, or with an API key. A search path answers the same if the request has an expired session cookie and no key. Sessions end on sign-out, after 7 days without use or 30 days after sign-in (`EARSHOT_SESSION_IDLE`, `EARSHOT_SESSION_MAX_AGE`), when the account is suspended, and when a replaced cookie is used again.",
    fix: [
      "Sign in at `/dashboard/sign-in`.",
      "Programs use the search API below `/v1` with an API key ([API](../api.md)).",
    ],
    example: {
      request: "`GET /dashboard/api/sessions` without a cookie.",
      detail: "there is no session, or it has ended",
      hint: "sign in at /dashboard/sign-in",
    },
  },
  node_unauthorized: {
    status: 401,
    title: "Missing or invalid node signature",
    retryable: false,
    hint: "attest again: POST /internal/nodes/challenge, then /internal/nodes/register",
    cause:
      "A path below `/internal/nodes/` was requested without a valid signature of an attested node. These paths are for [nodes](../nodes.md); clients use `/v1`. `errors` names the [failed check](details.md#requests-of-nodes).",
    fix: [
      "Attest again with a new challenge: this fixes `unknown_key`, `before_attestation` and `attestation_ended`.",
      "Use the gateway's clock, which the answer to a challenge contains, and a new nonce for each request.",
      "Sign the exact body, and the path with its query string. Proxies must not change either.",
    ],
    example: {
      request: "An unsigned lease request.",
      detail: "the request is not signed",
      hint: "attest again, with a fresh challenge",
      errors: [
        {
          code: "not_signed",
          message: "the request is not signed",
          hint: "attest again, with a fresh challenge",
        },
      ],
    },
  },
  sign_in_link_invalid: {
    status: 401,
    title: "Invalid sign-in link",
    retryable: false,
    cause:
      "The link was used before, is older than 15 minutes (`EARSHOT_SIGN_IN_LINK_TIME`) or is incomplete. A link works once.",
    fix: [
      "Create another one on the server: `earshot sign-in`, or `earshot sign-in --account <account>`.",
      "Copy the whole link, including the part after `#`.",
    ],
    example: {
      request: "`POST /dashboard/api/sign-in` with an unknown token.",
      detail: "the link was used, is too old, or is not whole",
      hint: "earshot sign-in makes another",
    },
  },
  forbidden_origin: {
    status: 403,
    title: "Cross-site request refused",
    retryable: false,
    cause:
      "A request with a session cookie may come from another site: `Sec-Fetch-Site` names another site, or a write has no `Origin`, a foreign one, or no valid `X-Earshot-Csrf` token. A sign-in at `/auth/github` or `/auth/gitlab` that is loaded as anything but a top-level page, such as an image or a frame, is refused too (`Sec-Fetch-Mode`, `Sec-Fetch-Dest`). So is a request to `/mcp` from a page of another origin. Behind a proxy, the dashboard itself is refused if the server does not know its public URL.",
    fix: [
      "Open the dashboard at its own URL and reload the page.",
      "Behind a proxy, set `EARSHOT_PUBLIC_URL`, such as `https://earshot.example`.",
      "Start a sign-in from a link.",
      "Programs send an API key and no cookie ([API](../api.md)).",
      "For a web page that uses [MCP](../mcp.md), list its origin in `EARSHOT_CORS_ORIGINS`.",
    ],
    example: {
      request: "`POST /dashboard/api/sign-out` with a session cookie, from a page of another site.",
      detail: "the request comes from another site's page",
      hint: "use the dashboard at its own address; programs send an API key and no cookie",
    },
  },
  account_suspended: {
    status: 403,
    title: "Account suspended",
    retryable: false,
    cause:
      "The key is valid, but an operator has suspended its account: all of its keys are refused, sign-in is disabled and its jobs were cancelled. No data is deleted.",
    fix: ["Contact the operator. After reinstatement the same keys work again."],
    example: {
      request: "A search with a key of a suspended account.",
      detail: "the account of the key is suspended",
      hint: "contact the operator of this server",
      isSubmission: true,
    },
  },
  node_refused: {
    status: 403,
    title: "Node not admitted",
    retryable: false,
    cause:
      "A node failed a check on registration; `errors` names the [check](../nodes.md#why-a-node-is-refused). `earshot nodes events` shows it too.",
    fix: [
      "Follow the hint of the check. Each attempt needs a new challenge.",
      "Operator: if the machine is legitimate, add it to the policy.",
      "The gateway accepts only the kinds of evidence in `EARSHOT_NODES_EVIDENCE`.",
    ],
    example: {
      request: "A registration with an unknown nonce.",
      detail: "the nonce is unknown or was used before",
      errors: [
        {
          code: "challenge_unknown",
          message: "the nonce is unknown or was used before",
        },
      ],
    },
  },
  method_forbidden: {
    status: 403,
    title: "Method not allowed for this key",
    retryable: false,
    cause:
      "The key is restricted to other methods. Counts need `searchbyquery` or `searchbyfullarchive`. Nothing was submitted, and no search is charged to the rate limit.",
    fix: [
      "Use a method from `errors[].expected`, or another key.",
      "Change the methods on the dashboard's Keys page, or create a key with `earshot keys create --methods`.",
    ],
    example: {
      request: "A search with a key that may use `gettrends` only.",
      detail: "the key may not use searchbyquery",
      hint: "it may use gettrends; take another key, or let this one do more on the page Keys",
      errors: [
        {
          code: "method_forbidden",
          message: "searchbyquery is not among the methods of the key",
          pointer: "/arguments/type",
          expected: ["gettrends"],
        },
      ],
      isSubmission: true,
    },
  },
} satisfies Record<string, ProblemDefinition>;
