import { randomUUID } from "node:crypto";
import * as z from "zod";
import { systemClock } from "../../lib/clock.ts";
import { ApiError, type ApiResponse, readBody } from "../../mcp/api.ts";
import { searchInOneCall } from "../../mcp/run-search.ts";
import { printAnswer, toPrintable } from "../search/print-answer.ts";
import { readTree } from "../search/read-tree.ts";
import type { SearchInput } from "../search/search-input.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { coverageSchema, warningsSchema } from "./answer-schemas.ts";
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
  { query, maxResults, format }: SearchInput,
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
        signal: terminal.stopSignal,
        report: async (message) => terminal.note(`earshot: ${message}\n`),
      },
    );
    requireAnswer(response, query, terminal);
    if (format !== null) {
      terminal.out(toPrintable(response.text, terminal));
      return;
    }
    const { results, next_cursor, coverage, warnings } = readBody(response, answerBody, JSON.parse);
    const records = results.map((record) => JSON.stringify(record));
    const printedAnswer = { records, hasMore: next_cursor !== null, coverage, warnings };
    printAnswer(printedAnswer, [], { nowMs: systemClock.now(), slackMs: 0 }, terminal);
  } finally {
    await close();
  }
}

/** Shows where the query has errors. Errors: `invalid_query`, `ApiError`. */
export function requireAnswer(response: ApiResponse, query: string, terminal: Terminal): void {
  if (response.status < 300) return;
  const apiError = new ApiError(response);
  if (apiError.code === "invalid_query") readTree(query, terminal);
  throw apiError;
}
