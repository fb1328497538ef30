import type { ProblemDefinition } from "./definition.ts";

export const accessProblems = {
  unauthorized: {
    status: 401,
    title: "Missing or invalid API key",
    retryable: false,
    cause:
      "The request has no API key, or the key is malformed, unknown, revoked or expired; the response does not say which.",
    fix: [
      "Send `Authorization: Bearer <key>`. Keys start with `ear_`.",
      "The dashboard's Keys page and `earshot keys list` show which keys are valid.",
    ],
    example: {
      request: "A search without the header `Authorization`.",
      detail: "an API key is required",
      hint: "send the header Authorization: Bearer <API_KEY>; create a key with earshot keys create --name NAME",
      isSubmission: true,
    },
  },
  session_needed: {
    status: 401,
    title: "Sign-in required",
    retryable: false,
    cause:
      "A dashboard path was requested without a valid [session](../dashboard.md#sessions), or a search path with an expired session cookie and no key.",
    fix: ["Sign in at `/dashboard/sign-in`.", "Programs use the API with a [key](../api.md#keys)."],
    example: {
      request: "`GET /dashboard/api/sessions` without a cookie.",
      detail: "no session, or it has ended",
      hint: "sign in at /dashboard/sign-in",
    },
  },
  node_unauthorized: {
    status: 401,
    title: "Missing or invalid node signature",
    retryable: false,
    hint: "attest again: POST /internal/nodes/challenge, then /internal/nodes/register",
    cause:
      "A path below `/internal/nodes/` was requested without a valid signature from an attested [node](../nodes.md). `errors` names the [failed check](details.md#requests-from-nodes).",
    fix: [
      "Attest again with a new challenge: this fixes `unknown_key`, `before_attestation` and `attestation_ended`.",
      "Use the gateway's clock, which the response to a challenge contains, and a new nonce for each request.",
      "Sign the exact body, and the path with its query string. Proxies must not change either.",
    ],
    example: {
      request: "An unsigned lease request.",
      detail: "the request is not signed",
      hint: "attest again, with a new challenge",
      errors: [
        {
          code: "not_signed",
          message: "the request is not signed",
          hint: "attest again, with a new challenge",
        },
      ],
    },
  },
  sign_in_link_invalid: {
    status: 401,
    title: "Invalid sign-in link",
    retryable: false,
    cause:
      "The link was used before, is older than 15 minutes (`EARSHOT_SIGN_IN_LINK_TIME`) or is incomplete.",
    fix: [
      "Copy the whole link, including the part after `#`.",
      "Create another one on the server: `earshot sign-in`.",
    ],
    example: {
      request: "`POST /dashboard/api/sign-in` with an unknown token.",
      detail: "the sign-in link has already been used, has expired or is incomplete",
      hint: "run `earshot sign-in` to create another",
    },
  },
  forbidden_origin: {
    status: 403,
    title: "Cross-site request refused",
    retryable: false,
    cause:
      "A request with a session cookie seems to come from another site, going by `Sec-Fetch-Site`, `Origin` or a missing `X-Earshot-Csrf` token. A sign-in that is loaded as an image or a frame, and a request to `/mcp` from a page of another origin, are also refused.",
    fix: [
      "Open the dashboard at its own URL, reload the page, and start a sign-in from a link.",
      "Behind a proxy, set `EARSHOT_PUBLIC_URL`.",
      "Programs send a [key](../api.md#keys) and no cookie.",
      "For a web page that uses [MCP](../mcp.md), list its origin in `EARSHOT_CORS_ORIGINS`.",
    ],
    example: {
      request: "`POST /dashboard/api/sign-out` with a session cookie, from a page of another site.",
      detail: "the request comes from another site",
      hint: "use the dashboard at its own URL; in programs, send an API key and no cookie",
    },
  },
  account_suspended: {
    status: 403,
    title: "Account suspended",
    retryable: false,
    cause: "An operator has suspended the account of this key. No data is deleted.",
    fix: ["Contact the operator. After reinstatement the same keys work again."],
    example: {
      request: "A search with a key of a suspended account.",
      detail: "the key's account is suspended",
      hint: "contact the operator of this server",
      isSubmission: true,
    },
  },
  node_refused: {
    status: 403,
    title: "Node not admitted",
    retryable: false,
    cause:
      "A node failed a [check](../nodes.md#why-a-node-is-refused) on registration, which `errors` and `earshot nodes events` name.",
    fix: [
      "Follow the check's hint. Each attempt needs a new challenge.",
      "Operator: if the machine is legitimate, add it to the policy, or its kind of evidence to `EARSHOT_NODES_EVIDENCE`.",
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
      "The key is restricted to other methods. Counts need `searchbyquery` or `searchbyfullarchive`.",
    fix: [
      "Use a method from `errors[].expected`, or another key.",
      "Change the methods on the dashboard's Keys page.",
    ],
    example: {
      request: "A search with a key that is allowed to use only `gettrends`.",
      detail: "the key does not allow searchbyquery",
      hint: "use gettrends, use another key, or change the methods of this one on the Keys page",
      errors: [
        {
          code: "method_forbidden",
          message: "the key does not allow searchbyquery",
          pointer: "/arguments/type",
          expected: ["gettrends"],
        },
      ],
      isSubmission: true,
    },
  },
} satisfies Record<string, ProblemDefinition>;
