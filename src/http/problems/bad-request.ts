import type { ProblemDefinition } from "./definition.ts";

export const badRequestProblems = {
  invalid_json: {
    status: 400,
    title: "Invalid JSON body",
    retryable: false,
    cause: "The body is not valid JSON in UTF-8; `detail` gives the position if known.",
    fix: [
      'Serialise the body with a JSON library. By hand, escape quotes inside strings: `"query": "\\"state of the art\\""`.',
      'In a shell, put the body in single quotes: `-d \'{"type":"social"}\'`.',
    ],
    example: {
      request: 'The body `{"type":`.',
      detail: "the body is not JSON: unexpected end of JSON input",
      hint: "check quotes, commas and brackets; a quote inside a string needs a backslash",
      isSubmission: true,
    },
  },
  invalid_request: {
    status: 400,
    title: "Invalid request",
    retryable: false,
    cause:
      "A field of the body, a query parameter or a header is missing, unknown, of the wrong type or out of range. Nothing is dropped or clamped: the whole request is refused. [Details](details.md) explains the codes in `errors`.",
    fix: [
      "Correct each entry of `errors` as its `message` and `hint` say.",
      "Write numbers without quotes, and times in ISO 8601 with a time zone.",
    ],
    example: {
      request: 'A `searchbyquery` with `"max_results": 500`.',
      detail: "/arguments/max_results: 500 is out of range; searchbyquery supports 1 to 100",
      hint: "send 1 to 100; use next_cursor for more",
      errors: [
        {
          code: "out_of_range",
          message: "500 is out of range; searchbyquery supports 1 to 100",
          hint: "send 1 to 100; use next_cursor for more",
          pointer: "/arguments/max_results",
        },
      ],
      isSubmission: true,
    },
  },
  invalid_query: {
    status: 400,
    title: "Invalid query",
    retryable: false,
    cause:
      "The query cannot be parsed, is empty or too long, or [names](../api.md#what-a-query-names) no account, post or space. The [query language](../query-language.md#errors-and-warnings) explains the codes in `errors`.",
    fix: [
      "Correct each entry of `errors` as its `hint` says.",
      'Quote a word that looks like an operator: `"since:today"`.',
      "`earshot explain '<query>'` shows how a query is parsed.",
    ],
    example: {
      request: "The query `comet since:2021-1-5`.",
      detail: "since: must be a date as yyyy-mm-dd, not 2021-1-5 (at offset 12)",
      hint: "write since:2021-01-05",
      errors: [
        {
          code: "invalid_date",
          offset: 12,
          length: 8,
          message: "since: must be a date as yyyy-mm-dd, not 2021-1-5",
          expected: ["yyyy-mm-dd", "yyyy-mm-dd_hh:mm:ss_UTC", "yyyy-mm-ddThh:mm:ssZ"],
          hint: "write since:2021-01-05",
        },
      ],
      isSubmission: true,
    },
  },
  method_not_supported: {
    status: 400,
    title: "Method not supported by this type",
    retryable: false,
    cause:
      "No source of this `type` supports the method: `social-api` has no `gettrends`, for example.",
    fix: [
      'Use a method from `errors[0].expected`, or `"type": "social"`, which supports every method.',
    ],
    example: {
      request: "The type `social-api` with the method `gettrends`.",
      detail: "social-api does not support gettrends",
      hint: "use searchbyquery, getbyid, getprofilebyid, searchbyfullarchive, or a type that supports gettrends: social, social-credential",
      errors: [
        {
          code: "method_not_supported",
          message: "social-api does not support gettrends",
          pointer: "/arguments/type",
          expected: ["searchbyquery", "getbyid", "getprofilebyid", "searchbyfullarchive"],
        },
      ],
      isSubmission: true,
    },
  },
  platform_mismatch: {
    status: 400,
    title: "Conflicting platforms",
    retryable: false,
    cause: "The path names one platform, the `type` or the query another.",
    fix: [
      "Use the same platform everywhere, or `social` in path or type.",
      "If the query names its platform (a URL, a DID, `x:20`), use `social` in both.",
    ],
    example: {
      request: "The type `twitter` sent to `/v1/search/live/bluesky`.",
      detail: 'the path names bluesky, the type "twitter" names x',
      hint: 'use one platform in both, or "social" as the type',
      errors: [{ code: "platform_mismatch", message: "not bluesky", pointer: "/type" }],
      isSubmission: true,
    },
  },
  cursor_invalid: {
    status: 400,
    title: "Invalid cursor",
    retryable: false,
    cause:
      "`next_cursor` (search), `next_token` (count) or `cursor` (list) is corrupt, or from another server, data folder or webhook.",
    fix: [
      "Send the cursor unchanged; in a URL, encode it (`curl --data-urlencode`).",
      "Omit it to start at the newest post.",
    ],
    example: {
      request: 'A search with `"next_cursor": "abc"`.',
      detail: "invalid cursor",
      hint: "send next_cursor unchanged, or omit it for the first page",
      errors: [
        {
          code: "cursor_invalid",
          message: "invalid cursor",
          hint: "send next_cursor unchanged, or omit it for the first page",
          pointer: "/arguments/next_cursor",
        },
      ],
      isSubmission: true,
    },
  },
  cursor_mismatch: {
    status: 400,
    title: "Cursor from another search",
    retryable: false,
    cause:
      "The cursor belongs to another account, platform, type, method, query, time window or granularity.",
    fix: [
      "Repeat the request that returned the cursor; only `max_results` may change.",
      "For another window, search again without a cursor.",
    ],
    example: {
      request: "A search for `aurora` with the cursor of a search for `comet`.",
      detail: "the cursor belongs to another search",
      hint: "repeat the account, platform, type, method and query of the search that returned it; only max_results may change",
      errors: [
        {
          code: "cursor_mismatch",
          message: "the cursor belongs to another search",
          hint: "repeat the account, platform, type, method and query of the search that returned it; only max_results may change",
          pointer: "/arguments/next_cursor",
        },
      ],
      isSubmission: true,
    },
  },
  webhook_url_refused: {
    status: 400,
    title: "Webhook URL not allowed",
    retryable: false,
    cause:
      "A webhook URL must be absolute, start with `https://`, contain no user name or password, use no port reserved for another service, such as 22, and name a public host. `detail` says which rule failed.",
    fix: [
      "Verify callers by their [signature](../webhooks.md#verify-it) instead of credentials in the URL.",
      "Operator: `EARSHOT_WEBHOOK_PRIVATE_HOSTS` allows internal hosts, `EARSHOT_WEBHOOK_ALLOW_HTTP` URLs without TLS.",
    ],
    example: {
      request: "The URL `https://192.168.1.20/earshot`.",
      detail: "192.168.1.20 in the webhook's URL is not public",
      hint: "use a public host; EARSHOT_WEBHOOK_PRIVATE_HOSTS allows others",
      errors: [
        {
          code: "webhook_url_refused",
          message: "192.168.1.20 in the webhook's URL is not public",
          hint: "use a public host; EARSHOT_WEBHOOK_PRIVATE_HOSTS allows others",
          pointer: "/url",
        },
      ],
    },
  },
  invalid_authorization_request: {
    status: 400,
    title: "Invalid authorization request",
    retryable: false,
    cause:
      "An app sent the browser to `/dashboard/connect` with a request whose error cannot be returned to the app: `client_id` or `redirect_uri` is missing, malformed or not in the client's metadata document, a parameter repeats, or the page was open for more than ten minutes.",
    fix: [
      "Start again in the app.",
      "Developer of the app: list the exact redirect URI in the metadata document; only the port of a loopback address may differ ([MCP](../mcp.md#connect-by-signing-in)).",
    ],
    example: {
      request: "`POST /dashboard/api/authorizations` with a query that has no `client_id`.",
      detail: "invalid authorization request: client_id is required",
      hint: "start again in the app, or report it to its developer",
    },
  },
} satisfies Record<string, ProblemDefinition>;
