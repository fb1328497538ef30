/** On PostgreSQL, a lease or a completion without webhooks is one statement. */

import { durable } from "../../db/operations.ts";
import { singleStatement } from "../../db/postgres/run-operation.ts";
import type { Steps } from "../../db/statements.ts";
import { fetchedPostsJson, storeFetchedPostsSql } from "../ends/fetched-operations.ts";
import {
  type ChangedRow,
  changeSql,
  type JobSnapshot,
  withoutDeliveries,
} from "../reads/visible-change.ts";
import {
  completionClauses,
  type JobCompletion,
  type LeaseTerms,
  leaseClauses,
  leaseOperations,
} from "./lease-operations.ts";

const numberedCte = `numbered AS (UPDATE account SET last_change = changed.change FROM changed WHERE account.id = changed.accountId)`;

const leaseSql = `
  WITH changed AS (${changeSql("lease", leaseClauses)}), ${numberedCte}
  SELECT * FROM changed`;

const completeSql = `
  WITH changed AS (${changeSql("complete", {
    ...completionClauses,
    where: `${completionClauses.where} AND NOT EXISTS
      (SELECT 1 FROM webhook WHERE webhook.account_id = job.account_id AND disabled_ms IS NULL)`,
  })}), ${numberedCte},
    posts AS (${storeFetchedPostsSql("changed.accountId", "changed CROSS JOIN json_each(:posts) WHERE TRUE")})
  SELECT * FROM changed`;

/** Durable, because gateways outlive a crash of the database server. */
export const sharedLeaseOperations = {
  giveBackJobs: durable(leaseOperations.giveBackJobs.run),

  leaseJob: durable(function* (_database, terms: LeaseTerms): Steps<JobSnapshot | null> {
    const changedRow = yield* singleStatement<ChangedRow>(leaseSql, terms);
    return changedRow === undefined ? null : withoutDeliveries(changedRow);
  }),

  completeJob: durable(function* (database, completion: JobCompletion): Steps<JobSnapshot | null> {
    const { fetched, ...terms } = completion;
    const posts = fetchedPostsJson(fetched);
    const changedRow = yield* singleStatement<ChangedRow>(completeSql, {
      ...terms,
      posts,
    });
    if (changedRow !== undefined) return withoutDeliveries(changedRow);
    return yield* leaseOperations.completeJob.run(database, completion);
  }),
};
