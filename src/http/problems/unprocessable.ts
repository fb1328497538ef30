import type { ProblemDefinition } from "./definition.ts";

export const unprocessableProblems = {
  body_too_large: {
    status: 413,
    title: "Body too large",
    retryable: false,
    cause: "The body exceeds 65,536 bytes (`EARSHOT_MAX_BODY_BYTES`).",
    fix: ["Shorten the body: a query has at most 4,096 characters."],
    example: {
      request: "A body of 70,000 bytes.",
      detail: "the body exceeds the size limit",
      hint: "send a smaller body; EARSHOT_MAX_BODY_BYTES sets the limit",
      isSubmission: true,
    },
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    retryable: false,
    cause: "The body is not `application/json`, or it is compressed.",
    fix: [
      "Send `Content-Type: application/json` and no `Content-Encoding`. `curl -d` alone sends another type.",
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
      "The `client_id` of an app is not the HTTPS address of a valid client metadata document, or the document cannot be fetched from a public address within 5 seconds and 32 kB without a redirect.",
    fix: [
      "Use an MCP client that supports client ID metadata documents, or one that sends an [API key](../mcp.md#connect).",
      "Operator: `EARSHOT_APP_PRIVATE_HOSTS` allows apps in your own network.",
      "Developer of the app: the document needs its own address as `client_id`, a `client_name` and `redirect_uris`, and must allow public clients.",
    ],
    example: {
      request: "`POST /dashboard/api/authorizations` with the client_id `my-app`.",
      detail: "client_id must be the HTTPS URL of a client metadata document",
      hint: "use a client that supports client ID metadata documents, or one that sends an API key",
    },
  },
  source_unavailable: {
    status: 422,
    title: "No source for this method",
    retryable: false,
    cause:
      "No configured source can run the method on this platform: the `type` allows none of them, the platform has no equivalent, or the method (`gethometweets`, `getforyoutweets`) needs a credential of the account. Searches and the [methods that the archive answers](../platforms.md#what-works-where) are accepted without a source, but need a node that can run them if `EARSHOT_EMBEDDED_NODE` is `off`.",
    fix: [
      "Configure what the hint names, such as `earshot credentials add x app-token`.",
      "If the platform has no equivalent, the hint names the closest method ([Platforms](../platforms.md)).",
      "If no node can run it, check `GET /v1/nodes`.",
    ],
    example: {
      request:
        "The method `getfollowers` on a server without Bluesky credentials and with its public API disabled.",
      detail: "no configured source supports getfollowers on bluesky with type social",
      hint: "use earshot credentials add bluesky app-password, or EARSHOT_BLUESKY_PUBLIC=on",
      errors: [
        {
          code: "source_unavailable",
          message: "no configured source supports getfollowers on bluesky with type social",
          hint: "use earshot credentials add bluesky app-password, or EARSHOT_BLUESKY_PUBLIC=on",
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
    cause: "The account used this `Idempotency-Key` within the last 24 hours for another search.",
    fix: [
      "Send a new key, such as a random UUID, with each new search.",
      "To repeat a search, send the same platform and body.",
    ],
    example: {
      request: "A search for `aurora` with the key of a search for `comet`.",
      detail: "the Idempotency-Key has already been used for another request",
      hint: "send a new Idempotency-Key with each new request",
      isSubmission: true,
    },
  },
  node_answer_refused: {
    status: 422,
    title: "Node answer rejected",
    retryable: false,
    cause:
      "A node's answer does not match its request or is not signed with its attested keys; `errors` names the [check](../nodes.md#why-an-answer-is-refused). The job runs again, and the node is quarantined if this repeats.",
    fix: [
      "Drop the answer.",
      "Run the same version on node and gateway. `earshot nodes events` shows each rejection.",
    ],
    example: {
      request: "An answer encrypted for another job.",
      detail: "the answer was encrypted for another lease, or modified",
      hint: "discard the work: the job will run again",
      errors: [
        {
          code: "not_openable",
          message: "the answer was encrypted for another lease, or modified",
          hint: "discard the work: the job will run again",
        },
      ],
    },
  },
  credential_invalid: {
    status: 422,
    title: "Invalid credential",
    retryable: false,
    cause:
      "The data for connecting a platform is incomplete, or the platform rejected it. `errors` names the field.",
    fix: [
      "Correct the field; `hint` says where to find the value. After an error in the pasted URL, start again.",
    ],
    example: {
      request: "A truncated X bearer token.",
      detail: "the token is empty or malformed",
      hint: "copy the bearer token from the application's keys and tokens at console.x.com",
      errors: [
        {
          code: "invalid_value",
          message: "the token is empty or malformed",
          pointer: "/fields/token",
          hint: "copy the bearer token from the application's keys and tokens at console.x.com",
        },
      ],
    },
  },
} satisfies Record<string, ProblemDefinition>;
