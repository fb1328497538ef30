import type { Job } from "../../jobs/job.ts";
import type { AnswerPage } from "./page.ts";
import type { PostRecord } from "./record.ts";

type TestPage = AnswerPage & { job: Job };

export function pageWith(
  texts: readonly string[],
  overrides: Partial<TestPage> = {},
  metadata: PostRecord["Metadata"] = null,
): TestPage {
  const coverage = { fromMs: 0, toMs: 86_400_000, complete: true, gaps: [] };
  const result = { items: [], next: null, complete: true, coverage, sources: [], warnings: [] };
  return {
    job: {
      uuid: "0f8fad5b-d9cb-469f-a165-70867728950e",
      accountId: "account",
      keyId: "key",
      state: "done",
      request: {
        platform: "social",
        type: "social",
        method: "searchbyquery",
        query: "comet",
        maxResults: 20,
        fromMs: 0,
        toMs: 86_400_000,
        asOfMs: 86_400_000,
        after: null,
      },
      canonicalQuery: "comet",
      attempts: 1,
      submittedMs: 0,
      deadlineMs: 0,
      startedMs: 0,
      finishedMs: 0,
      expiresMs: 0,
      node: "embedded",
      result,
      failure: null,
      warnings: [],
    },
    result,
    posts: texts.map((Content, index) => {
      const record = { ID: String(index), Content, Metadata: metadata, Score: 1 };
      return { record, json: JSON.stringify(record), shortenedFrom: null };
    }),
    fields: null,
    omitted: 0,
    isContinued: true,
    nextCursor: null,
    ...overrides,
  };
}
