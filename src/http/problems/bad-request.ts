import type { ProblemDefinition } from "./definition.ts";

/** A malformed request (400). */
export const badRequestProblems = {
  invalid_json: {
    status: 400,
    title: "Invalid JSON body",
    retryable: false,
    cause:
      "The body is not valid JSON in UTF-8: it is empty, truncated, has a syntax error or uses another encoding. `detail` gives the error, and its position if known.",
    fix: [
      "Serialise the body with a JSON library.",
      'Escape quotes inside strings, as in phrases: `"query": "\\"state of the art\\""`.',
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
      "A field of the body, a query parameter or a header is missing, unknown, of the wrong type or out of range. The whole request is refused; no value is dropped or clamped. `errors` lists up to 64 errors: `pointer` is a JSON pointer (RFC 6901) into the body, or `/` and the name of a parameter. [Details](details.md) explains their codes.",
    fix: [
      "Correct each entry of `errors` as its `message` and `hint` say. Unknown names come with the nearest known one: `max_result` → `max_results`.",
      "Write numbers without quotes, and times in ISO 8601 with a time zone.",
    ],
    example: {
      request: 'A `searchbyquery` with `"max_results": 500`.',
      detail: "/arguments/max_results: 500 is out of range, searchbyquery takes 1 to 100",
      hint: "send 1 to 100; next_cursor continues where a result ends",
      errors: [
        {
          code: "out_of_range",
          message: "500 is out of range, searchbyquery takes 1 to 100",
          hint: "send 1 to 100; next_cursor continues where a result ends",
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
      "The query cannot be parsed: an operator has an invalid value, a quote or parenthesis is unclosed, or the query is empty or too long. For methods other than searches, the query [names](../api.md#what-a-query-names) no account, post or space. `errors` lists each error with `offset` and `length` in Unicode code points; the [query language](../query-language.md#errors-and-warnings) explains the codes.",
    fix: [
      "Correct each entry of `errors` as its `hint` says.",
      'To search for a word that looks like an operator, quote it: `"since:today"`.',
      "`earshot explain '<query>'` shows how a query is parsed, without running it.",
    ],
    example: {
      request: "The query `comet since:2021-1-5`.",
      detail: "since: wants a date as yyyy-mm-dd, not 2021-1-5 (at offset 12)",
      hint: "write since:2021-01-05",
      errors: [
        {
          code: "invalid_date",
          offset: 12,
          length: 8,
          message: "since: wants a date as yyyy-mm-dd, not 2021-1-5",
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
      "No source of this `type` implements the method in `arguments.type`. For example, `social-api` has no `gettrends`.",
    fix: [
      "Use a method from `errors[0].expected`, or a type that the hint names.",
      'Use `"type": "social"`, which supports every method.',
    ],
    example: {
      request: "The type `social-api` with the method `gettrends`.",
      detail: "social-api does not support gettrends",
      hint: "social-api supports searchbyquery, getbyid, getprofilebyid, searchbyfullarchive; gettrends is supported by social, social-credential",
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
    cause: "The path names one platform, and the `type` or the query another.",
    fix: [
      "Use the same platform everywhere, or `social` in the path or the type: the path `/v1/search/live/social` with the type `bluesky` searches Bluesky, and so does `/v1/search/live/bluesky` with the type `social`.",
      "If the query names its platform (a URL, a DID, `x:20`), use `social` in path and type.",
      "`x` and `twitter` are the same platform.",
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
      "`next_cursor` (search), `next_token` (count) or `cursor` (list) is corrupt or was not issued by this service. A cursor of webhook deliveries is valid for that webhook only.",
    fix: [
      "Send `X-Next-Cursor`, `next_cursor` or `meta.next_token` unchanged. In a URL, encode it (`curl --data-urlencode`).",
      "Cursors survive restarts but not a new data folder, and are not valid on another server.",
      "Omit the cursor to start at the newest post.",
    ],
    example: {
      request: 'A search with `"next_cursor": "abc"`.',
      detail: "the cursor cannot be read",
      hint: "send next_cursor exactly as it was received, or leave it out for the first page",
      errors: [
        {
          code: "cursor_invalid",
          message: "the cursor cannot be read",
          hint: "send next_cursor exactly as it was received, or leave it out for the first page",
          pointer: "/arguments/next_cursor",
        },
      ],
      isSubmission: true,
    },
  },
  cursor_mismatch: {
    status: 400,
    title: "Cursor of another search",
    retryable: false,
    cause:
      "The cursor is valid but was issued for another search. A cursor is bound to the account, platform, type, method, query and time window.",
    fix: [
      "Repeat the search that returned the cursor; only `max_results` may change.",
      "Repeat `start_time` and `end_time` unchanged or omit them. Another window needs a new search without a cursor.",
      "The same applies to `next_token` and the `granularity` of a count.",
    ],
    example: {
      request: "A search for `aurora` with the cursor of a search for `comet`.",
      detail: "the cursor belongs to another search",
      hint: "send it with the account, platform, type, method and query it was given for; only max_results may change",
      errors: [
        {
          code: "cursor_mismatch",
          message: "the cursor belongs to another search",
          hint: "send it with the account, platform, type, method and query it was given for; only max_results may change",
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
      "A webhook URL must be absolute, start with `https://`, contain no user name or password, use no port of another service such as 22 or 25, and name a public host. Private addresses are refused so that webhooks cannot reach the server's own network. A host that resolves to a private address later fails at delivery, like a host that does not exist.",
    fix: [
      "`detail` says which rule failed. A valid form is `https://host.example/path`.",
      "Verify callers by their [signature](../webhooks.md) instead of credentials in the URL.",
      "Operator: allow internal hosts with `EARSHOT_WEBHOOK_PRIVATE_HOSTS`, and URLs without TLS with `EARSHOT_WEBHOOK_ALLOW_HTTP`.",
    ],
    example: {
      request: "The URL `https://192.168.1.20/earshot`.",
      detail: "the webhook's address names 192.168.1.20, which is not public",
      hint: "name a host of the public internet; EARSHOT_WEBHOOK_PRIVATE_HOSTS allows others",
      errors: [
        {
          code: "webhook_url_refused",
          message: "the webhook's address names 192.168.1.20, which is not public",
          hint: "name a host of the public internet; EARSHOT_WEBHOOK_PRIVATE_HOSTS allows others",
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
      "An app sent the browser to `/dashboard/connect` with a request that cannot be answered to the app: `client_id` or `redirect_uri` is missing or malformed, the redirect URI is not in the client's metadata document, a parameter repeats, or the page was open for more than ten minutes. Other errors are returned to the app.",
    fix: [
      "Start again in the app.",
      "Developer of the app: list the exact redirect URI in the metadata document; only the port of a loopback address may differ ([MCP](../mcp.md#connect-by-signing-in)).",
    ],
    example: {
      request: "`POST /dashboard/api/authorizations` with a query that has no `client_id`.",
      detail: "the app's request to connect is not valid: client_id is missing",
      hint: "start again in the app; only its developer can fix this",
    },
  },
} satisfies Record<string, ProblemDefinition>;
