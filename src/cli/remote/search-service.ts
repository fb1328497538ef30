import { randomUUID } from "node:crypto";
import * as z from "zod";
import { systemClock } from "../../lib/clock.ts";
import { ApiError, type ApiResponse, readBody } from "../../mcp/api.ts";
import { searchInOneCall } from "../../mcp/run-search.ts";
import { printAnswer, printable } from "../search/print-answer.ts";
import { readTree } from "../search/read-tree.ts";
import type { SearchTerms } from "../search/search-terms.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { coverageSchema, warningsSchema } from "./answered-coverage.ts";
import type { Login } from "./login-file.ts";
import { openRemoteApi } from "./remote-api.ts";

const answerBody = z.object({
  results: z.array(z.record(z.string(), z.unknown())),
  next_cursor: z.string().nullable(),
  coverage: coverageSchema,
  warnings: warningsSchema,
});

/** Errors: `invalid_query`, `ApiError`. */
export async function searchRemotely(
  service: Login,
  { query, maxResults, format }: SearchTerms,
  terminal: Terminal,
): Promise<void> {
  const { api, close } = openRemoteApi(service);
  try {
    const response = await searchInOneCall(
      {
        platform: "social",
        arguments: { type: "searchbyfullarchive", query, max_results: maxResults },
        maxChars: null,
      },
      format ?? "application/json",
      {
        api,
        randomUuid: randomUUID,
        signal: terminal.stopping,
        report: async (message) => terminal.note(`earshot: ${message}\n`),
      },
    );
    requireAnswer(response, query, terminal);
    if (format !== null) {
      terminal.out(printable(response.text, terminal));
      return;
    }
    const { results, next_cursor, coverage, warnings } = readBody(response, answerBody, JSON.parse);
    const records = results.map((record) => JSON.stringify(record));
    const printed = { records, hasMore: next_cursor !== null, coverage, warnings };
    printAnswer(printed, [], { nowMs: systemClock.now(), slackMs: 0 }, terminal);
  } finally {
    await close();
  }
}

/** Shows where the query has errors. Errors: `invalid_query`, `ApiError`. */
export function requireAnswer(response: ApiResponse, query: string, terminal: Terminal): void {
  if (response.status < 300) return;
  const refusal = new ApiError(response);
  if (refusal.code === "invalid_query") readTree(query, terminal);
  throw refusal;
}
