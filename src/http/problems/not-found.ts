import type { ProblemDefinition } from "./definition.ts";

export const notFoundProblems = {
  not_found: {
    status: 404,
    title: "Not found",
    retryable: false,
    cause: "The path does not exist, or names an unknown platform.",
    fix: [
      "Check the spelling against the [API](../api.md). A trailing slash makes it a different path.",
      "Platforms are `social` (all), `bluesky`, `mastodon`, and `x` (also `twitter`).",
    ],
    example: {
      request: "`GET /v1/search/live/blusky/status/…`.",
      detail: 'unknown platform "blusky"',
      hint: "did you mean bluesky?",
    },
  },
  job_not_found: {
    status: 404,
    title: "Job not found",
    retryable: false,
    hint: "use the uuid from the submission's response and a key of the same account; jobs are deleted after EARSHOT_JOB_RETENTION",
    cause:
      "The key's account has no job with this uuid, or the job has expired (`EARSHOT_JOB_RETENTION`, 7 days by default).",
    fix: ["Use the uuid from the submission's response and a key of the same account."],
    example: { request: "The status of an unknown uuid.", detail: "job not found" },
  },
  proof_not_found: {
    status: 404,
    title: "No proof for this result",
    retryable: false,
    cause:
      "The embedded node made the result and signs nothing (`evidence` is `none`), or the attestation of the signing node is no longer stored.",
    fix: ["Request proofs only for results with a `Signature` header, while the result exists."],
    example: {
      request: "A result of the embedded node.",
      detail: "the embedded node made the result",
      hint: "find nodes that sign results at GET /v1/nodes",
    },
  },
  attestation_not_found: {
    status: 404,
    title: "Attestation not found",
    retryable: false,
    hint: "use the proof of a result, which contains the attestation; attestations are stored a week longer than the results they signed",
    cause: "No attestation with this id is stored. An id has 43 characters.",
    fix: ["Copy the whole id from the `Link` of a signed result or from `GET /v1/nodes`."],
    example: { request: "An unknown id.", detail: "attestation not found" },
  },
  credential_not_found: {
    status: 404,
    title: "Credential not found",
    retryable: false,
    hint: "find its id on the dashboard's Credentials page",
    cause:
      "The account has no credential with this id: it was disconnected, or belongs to another account or to the deployment.",
    fix: [
      "Use an id from the dashboard's Credentials page, or on the server from `earshot credentials list`.",
    ],
    example: {
      request: "`DELETE /dashboard/api/credentials/fQ3kZ8xT1a`, an unknown id.",
      detail: "credential not found",
    },
  },
  authorization_not_found: {
    status: 404,
    title: "Connection attempt ended",
    retryable: false,
    cause:
      "The attempt to connect a platform in the browser ended before its second step: after `EARSHOT_AUTHORIZATION_TIME`, an error, a server restart, or `EARSHOT_MAX_AUTHORIZATIONS_PER_ACCOUNT` newer attempts. Nothing was stored.",
    fix: ["Start again, and paste the URL of the new attempt."],
    example: {
      request: "A URL pasted after the attempt ended.",
      detail: "the connection attempt has ended",
      hint: "start again: an attempt ends after a timeout, an error or a restart of the server",
    },
  },
  node_not_found: {
    status: 404,
    title: "Node not found",
    retryable: false,
    cause:
      "No node has this id, which is 16 hexadecimal digits. Pending nodes that have not connected for a week are deleted.",
    fix: [
      "Use an id from the dashboard's Nodes page or `earshot nodes list`.",
      "A deleted pending node registers again when it connects.",
    ],
    example: {
      request: "An operator approves the node `8d1f4c02b7a96e35`, which never connected.",
      detail: 'node "8d1f4c02b7a96e35" not found',
      hint: "find its id with earshot nodes list --all",
    },
  },
  account_not_found: {
    status: 404,
    title: "Account not found",
    retryable: false,
    hint: "find its id on the dashboard's Accounts page",
    cause: "No account has this id: it never existed or was deleted.",
    fix: ["Reload the dashboard's Accounts page, or use an id from `earshot accounts list`."],
    example: {
      request: "An operator changes the account `4fK2nQ7sVd81`, which does not exist.",
      detail: "account not found",
    },
  },
  session_not_found: {
    status: 404,
    title: "Session not found",
    retryable: false,
    hint: "find its id on the dashboard's Account page",
    cause: "The account has no session with this id; it may have ended.",
    fix: ["Reload the dashboard's Account page, which lists the sessions."],
    example: {
      request: "`DELETE /dashboard/api/sessions/4fK2nQ7sVd81LmXz`, an unknown id.",
      detail: "session not found",
    },
  },
  app_not_found: {
    status: 404,
    title: "Connected app not found",
    retryable: false,
    hint: "find its id on the dashboard's Keys page",
    cause: "The account has no connected app with this id; it may have been disconnected.",
    fix: ["Reload the dashboard's Keys page, which lists the connected apps."],
    example: {
      request: "`DELETE /dashboard/api/apps/4fK2nQ7s`, an unknown id.",
      detail: "connected app not found",
    },
  },
  key_not_found: {
    status: 404,
    title: "Key not found",
    retryable: false,
    hint: "find its id on the dashboard's Keys page",
    cause: "The account has no API key with this id, the part of a key between the underscores.",
    fix: ["Use an id from the dashboard's Keys page, signed in to the account that owns the key."],
    example: {
      request: "`DELETE /dashboard/api/keys/nobody00`, an unknown id.",
      detail: "key not found",
    },
  },
  webhook_not_found: {
    status: 404,
    title: "Webhook not found",
    retryable: false,
    hint: "find its id at GET /v1/webhooks",
    cause: "The key's account has no webhook with this id.",
    fix: [
      "Use an id from `GET /v1/webhooks`, with a key of the account that registered the webhook.",
    ],
    example: {
      request: "`GET /v1/webhooks/wh_4fK2nQ7sVd81LmXzRt0B`, an unknown id.",
      detail: "webhook not found",
    },
  },
  delivery_not_found: {
    status: 404,
    title: "Delivery not found",
    retryable: false,
    cause:
      "The webhook has no delivery with this id, or it is no longer stored (`EARSHOT_WEBHOOK_RETENTION`).",
    fix: ["Use an id from `GET /v1/webhooks/:id/deliveries`, or read the job instead."],
    example: {
      request: "The replay of an unknown delivery.",
      detail: "delivery not found",
      hint: "find stored deliveries at GET /v1/webhooks/:id/deliveries",
    },
  },
  method_not_allowed: {
    status: 405,
    title: "HTTP method not allowed",
    retryable: false,
    cause:
      "The path does not support this HTTP method. The `Allow` header lists those it supports.",
    fix: [
      "Use a method from `Allow`.",
      "Use the final URL: a redirect, such as from `http` to `https`, turns a `POST` into a `GET`.",
    ],
    example: {
      request: "`GET /v1/search/live/social`.",
      detail: "GET is not supported by this path",
      hint: "use POST",
    },
  },
  not_acceptable: {
    status: 406,
    title: "No acceptable format",
    retryable: false,
    cause:
      "`Accept` names none of the formats of a [search in one call](../api.md#search-in-one-call): `application/json`, `application/x-ndjson`, `text/csv`, `text/markdown`.",
    fix: ["Accept one of these formats, or omit the header for JSON."],
    example: {
      request: "A search with `Accept: text/html`.",
      detail: "Accept names no supported format",
      hint: "accept one of application/json, application/x-ndjson, text/csv, text/markdown, or omit Accept for JSON",
      errors: [
        {
          code: "not_acceptable",
          message: "supported: application/json, application/x-ndjson, text/csv, text/markdown",
          expected: ["application/json", "application/x-ndjson", "text/csv", "text/markdown"],
        },
      ],
      isSubmission: true,
    },
  },
  request_timeout: {
    status: 408,
    title: "Request timeout",
    retryable: true,
    cause:
      "The request did not arrive completely within 30 seconds (`EARSHOT_REQUEST_TIMEOUT`), and the connection was closed.",
    fix: [
      "Send it again, with a correct `Content-Length`.",
      "Configure proxies to buffer requests.",
    ],
    example: {
      request: "A request with an unfinished header.",
      detail: "timed out waiting for the complete request",
      hint: "send it again with a correct Content-Length",
    },
  },
} satisfies Record<string, ProblemDefinition>;
