import type { QueryNode } from "@earshot/query/tree";
import type { Job } from "../job.ts";

export type Idempotency = { key: string; requestHash: Uint8Array };

export type NewJob = Pick<
  Job,
  "accountId" | "keyId" | "request" | "canonicalQuery" | "warnings"
> & {
  idempotency?: Idempotency | null;
  tree?: QueryNode | null;
};

export type EarlierJob = { uuid: string; job: Job | null };

export type SubmittedJob =
  | { isReplay: false; uuid: string; job: Job }
  | ({ isReplay: true } & EarlierJob);
