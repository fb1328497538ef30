import type { QueryNode } from "@earshot/query/tree";
import type { Job } from "../job.ts";
import type { SearchSubmission, SubmittedSearch } from "./search-operations.ts";

export type Idempotency = { key: string; requestHash: Uint8Array };

export type NewJob = Pick<
  Job,
  "accountId" | "keyId" | "request" | "canonicalQuery" | "warnings"
> & {
  idempotency?: Idempotency | null;
  tree?: QueryNode | null;
};

export type PendingAdmission = {
  /**
   * Admits and writes in one call to the store. Null: nothing was written, but the submission may
   * have been admitted.
   */
  write(submission: SearchSubmission): Promise<SubmittedSearch | null>;
  /** Must precede any other write. Errors: those of the admission. */
  admit(): Promise<void>;
};

export type EarlierJob = { uuid: string; job: Job | null };

export type SubmittedJob =
  | { isRepeated: false; uuid: string; job: Job }
  | ({ isRepeated: true } & EarlierJob);
