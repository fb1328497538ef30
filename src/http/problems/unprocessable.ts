import type { ProblemDefinition } from "./definition.ts";

/** A refused body, or a valid request that cannot be fulfilled (413 to 422). */
export const unprocessableProblems = {
  body_too_large: {
    status: 413,
    title: "Body too large",
    retryable: false,
    cause: "The body exceeds 65,536 bytes (`EARSHOT_MAX_BODY_BYTES`). It was not read.",
    fix: [
      "Check the body: a query has at most 4,096 characters.",
      "Operator: raise `EARSHOT_MAX_BODY_BYTES`.",
    ],
    example: {
      request: "A body of 70,000 bytes.",
      detail: "the body is larger than this server takes",
      hint: "EARSHOT_MAX_BODY_BYTES sets the limit",
      isSubmission: true,
    },
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    retryable: false,
    cause:
      "The body is not `application/json`, or it is compressed. Compressed bodies are refused because their decompressed size is unbounded.",
    fix: [
      "Send `Content-Type: application/json`; `curl -d` alone sends another type.",
      "Send the body without `Content-Encoding`.",
    ],
    example: {
      request: "A body with `Content-Type: text/plain`.",
      detail: "the body must be application/json",
      hint: "send the header Content-Type: application/json",
      isSubmission: true,
    },
  },
  client_not_accepted: {
    status: 422,
    title: "App not accepted",
    retryable: false,
    cause:
      "The `client_id` of an app that wants to connect is not the HTTPS address of a client metadata document, the document cannot be fetched from a public address within 5 seconds and 32 kB without a redirect, or it is not valid.",
    fix: [
      "Use an MCP client that supports client ID metadata documents, or one that sends an [API key](../mcp.md#connect).",
      "Operator: allow apps in your own network with `EARSHOT_APP_PRIVATE_HOSTS`.",
      "Developer of the app: the document needs its own address as `client_id`, a `client_name`, and `redirect_uris`, and must allow public clients.",
    ],
    example: {
      request: "`POST /dashboard/api/authorizations` with the client_id `my-app`.",
      detail: "the client_id is not the HTTPS address of a client metadata document",
      hint: "use a client that supports client ID metadata documents, or one that sends an API key",
    },
  },
  source_unavailable: {
    status: 422,
    title: "No source for this method",
    retryable: false,
    cause:
      "No configured source can run the method on this platform: the `type` allows no credential, app token or public API that is configured; the platform has no equivalent; or the method reads personal data (`gethometweets`, `getforyoutweets`) and the account has no credential of its own. Searches and the [methods that the archive answers](../platforms.md#what-works-where) are always accepted. A server without an embedded node (`EARSHOT_EMBEDDED_NODE=off`) refuses whatever none of its nodes of the last ten minutes can run, including searches.",
    fix: [
      "Configure what the hint names, such as `earshot credentials add x app-token` or `EARSHOT_MASTODON_INSTANCE`.",
      "If the platform has no equivalent, the hint names the closest method; [Platforms](../platforms.md) lists all.",
      "If no node can run it, check `GET /v1/nodes`.",
      "Try another platform, the type `social`, or a search: `from:nasa` instead of the account's timeline.",
    ],
    example: {
      request:
        "The method `getfollowers` on a server without Bluesky credentials and with its public API disabled.",
      detail: "nothing configured can ask bluesky for getfollowers as social",
      hint: "to make it work: earshot credentials add bluesky app-password, or EARSHOT_BLUESKY_PUBLIC=on",
      errors: [
        {
          code: "source_unavailable",
          message: "nothing configured can ask bluesky for getfollowers as social",
          hint: "to make it work: earshot credentials add bluesky app-password, or EARSHOT_BLUESKY_PUBLIC=on",
          pointer: "/type",
        },
      ],
      isSubmission: true,
    },
  },
  idempotency_mismatch: {
    status: 422,
    title: "Idempotency key reused",
    retryable: false,
    cause:
      "The account used this `Idempotency-Key` within the last 24 hours for another search. Path, type and arguments identify a search; key order and white space do not matter. Nothing was accepted, and no search is charged to the rate limit.",
    fix: [
      "Send a new `Idempotency-Key`, such as a random UUID, with each new search.",
      "To repeat a search, send the same platform and body as the first time.",
    ],
    example: {
      request: "A search for `aurora` with the key of a search for `comet`.",
      detail: "the idempotency key was used for another request",
      hint: "send a fresh Idempotency-Key with each request that is not a repetition of an earlier one",
      isSubmission: true,
    },
  },
  node_answer_refused: {
    status: 422,
    title: "Node answer rejected",
    retryable: false,
    cause:
      "A node returned an answer that does not match its request or is not signed with its attested keys; `errors` names the [check](../nodes.md#why-an-answer-is-refused). The job runs again, and the node is quarantined if this repeats.",
    fix: [
      "Drop the answer; it would be rejected again.",
      "Run the same version on node and gateway. `earshot nodes events` shows each rejection.",
    ],
    example: {
      request: "An answer encrypted for another job.",
      detail: "the answer was encrypted for another lease, or changed",
      hint: "drop the work: the job runs again",
      errors: [
        {
          code: "not_openable",
          message: "the answer was encrypted for another lease, or changed",
          hint: "drop the work: the job runs again",
        },
      ],
    },
  },
  credential_invalid: {
    status: 422,
    title: "Invalid credential",
    retryable: false,
    cause:
      "The data for connecting a platform is incomplete, or the platform rejected it. `errors` points at the field, such as `/fields/token`, or `/answer` for the pasted URL. Nothing was stored.",
    fix: [
      "Correct the field; `hint` says where to find the value.",
      "After an error in the pasted URL, start again: the attempt has ended.",
    ],
    example: {
      request: "A truncated bearer token of X.",
      detail: "the token is empty, or holds what no token does",
      hint: "copy the bearer token from the application's keys and tokens at console.x.com",
      errors: [
        {
          code: "invalid_value",
          message: "the token is empty, or holds what no token does",
          pointer: "/fields/token",
          hint: "copy the bearer token from the application's keys and tokens at console.x.com",
        },
      ],
    },
  },
} satisfies Record<string, ProblemDefinition>;
