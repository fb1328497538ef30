import type { Method } from "../../platforms/methods.ts";
import type { SearchPlatform } from "../../platforms/source.ts";
import type { JobState, JobSummary, ListPosition } from "../job.ts";

/** A null filter matches all jobs. `before` is the `next` of the previous page. */
export type JobFilter = {
  states: readonly JobState[] | null;
  methods: readonly Method[] | null;
  platforms: readonly SearchPlatform[] | null;
  /** A part of the query. */
  text: string | null;
  before: ListPosition | null;
  limit: number;
};

export type JobPage = { jobs: readonly JobSummary[]; next: ListPosition | null };

/** `next` is a sequence number. */
export type AllJobsPage = { jobs: readonly JobSummary[]; next: number | null };
