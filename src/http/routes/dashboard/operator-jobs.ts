import type { JobSummary } from "../../../jobs/job.ts";
import { readListCursor, writeListCursor } from "../../answers/list-cursor.ts";
import type { HttpContext } from "../../context.ts";
import type { AllJobsResponse, AnyJobListing } from "../../dashboard/contract/operator.ts";
import { withPointer } from "../../problems/with-pointer.ts";
import { problem } from "../../problems/write-problem.ts";
import { allJobsQuery } from "../../schemas/dashboard.ts";
import { iso, isoOrNull } from "../../submission/window.ts";
import type { TypedApp } from "../typed-app.ts";

const jobsPerPage = 50;

type Page = { jobs: readonly JobSummary[]; next: string | null };

/** Omits queries, which are private to the accounts. */
export function addOperatorJobsRoute(
  app: TypedApp,
  { accounts, jobs }: Pick<HttpContext, "accounts" | "jobs">,
): void {
  async function accountPage(account: string, cursor: string | null): Promise<Page> {
    const before = cursor === null ? null : withPointer("/after", () => readListCursor(cursor));
    const noFilters = { states: null, methods: null, platforms: null, text: null };
    const page = await jobs.list(account, { ...noFilters, before, limit: jobsPerPage });
    return { jobs: page.jobs, next: page.next === null ? null : writeListCursor(page.next) };
  }

  async function allJobsPage(cursor: string | null): Promise<Page> {
    const beforeSequence =
      cursor === null ? null : withPointer("/after", () => parseSequence(cursor));
    const page = await jobs.listAll(beforeSequence, jobsPerPage);
    return { jobs: page.jobs, next: page.next === null ? null : String(page.next) };
  }

  app.route({
    method: "GET",
    url: "/dashboard/api/operator/jobs",
    config: { access: "operator" },
    schema: { hide: true, querystring: allJobsQuery },
    handler: async (request): Promise<AllJobsResponse> => {
      const { account, after = null } = request.query;
      const page = await (account === undefined ? allJobsPage(after) : accountPage(account, after));
      const ids = [...new Set(page.jobs.map(({ accountId }) => accountId))];
      const rows = await accounts.read("accountNames", { ids });
      const names = new Map(rows.map(({ id, name }) => [id, name]));
      return {
        jobs: page.jobs.map((job) => jobListing(job, names.get(job.accountId) ?? job.accountId)),
        next: page.next,
      };
    },
  });
}

function parseSequence(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw problem("cursor_invalid", "after does not belong to this list", {
    hint: "send next exactly as it was received",
  });
}

function jobListing(job: JobSummary, accountName: string): AnyJobListing {
  return {
    uuid: job.uuid,
    account: { id: job.accountId, name: accountName },
    status: job.state,
    code: job.failure?.code ?? null,
    platform: job.request.platform,
    method: job.request.method,
    node: job.node,
    count: job.count,
    submitted_at: iso(job.submittedMs),
    finished_at: isoOrNull(job.finishedMs),
  };
}
