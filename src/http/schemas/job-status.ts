import * as z from "zod";
import { jobStates } from "../../jobs/job.ts";
import { evidenceKinds } from "../../jobs/result-signature.ts";
import { methodNames, sourceTypes } from "../../platforms/methods.ts";
import { accessMethods } from "../../platforms/source.ts";
import { platforms } from "../../posts/post.ts";
import { coverage } from "./coverage.ts";

const uuid = z.uuid().meta({ examples: ["0f8fad5b-d9cb-469f-a165-70867728950e"] });
const time = z.iso.datetime().meta({ examples: ["2026-01-31T12:00:00.000Z"] });

const state = z.enum(jobStates).meta({
  id: "JobState",
  description: "done, error, cancelled and expired are final.",
  examples: ["done"],
});

export const jobHandle = z.strictObject({ uuid, error: z.literal("") }).meta({
  id: "JobHandle",
  examples: [{ uuid: "0f8fad5b-d9cb-469f-a165-70867728950e", error: "" }],
});

export const unfinishedJob = z.strictObject({ uuid, status: state, error: z.literal("") }).meta({
  id: "UnfinishedJob",
  examples: [{ uuid: "0f8fad5b-d9cb-469f-a165-70867728950e", status: "in progress", error: "" }],
});

export const statusExample = {
  uuid: "0f8fad5b-d9cb-469f-a165-70867728950e",
  status: "done",
  error: "",
  platform: "social",
  type: "social",
  method: "searchbyquery",
  query: "comet lang:en",
  canonical_query: "comet lang:en",
  sources: [
    {
      platform: "bluesky",
      via: "archive",
      from: "2026-01-24T12:00:00.000Z",
      to: "2026-01-31T12:00:00.000Z",
      count: 20,
    },
  ],
  node: "embedded",
  evidence: "none",
  count: 20,
  complete: true,
  coverage: {
    from: "2026-01-24T12:00:00.000Z",
    to: "2026-01-31T12:00:00.000Z",
    complete: true,
    gaps: [],
    truncated: false,
    platforms: [
      {
        platform: "bluesky",
        collection: "posts",
        complete: true,
        held: [{ from: "2026-01-24T12:00:00.000Z", to: "2026-01-31T12:00:00.000Z" }],
        gaps: [],
        truncated: false,
      },
    ],
  },
  warnings: [],
  submitted_at: "2026-01-31T12:00:00.000Z",
  started_at: "2026-01-31T12:00:00.002Z",
  finished_at: "2026-01-31T12:00:00.009Z",
  expires_at: "2026-02-01T12:00:00.009Z",
  attempts: 1,
  next_cursor: null,
};

export const warnings = z.array(
  z.strictObject({
    code: z.string(),
    message: z.string(),
    offset: z.int().optional(),
    length: z.int().optional(),
    hint: z.string().optional(),
  }),
);

const cost = z
  .strictObject({
    post_reads: z.int(),
    user_reads: z.int(),
    requests: z.int(),
    usd: z.number(),
    month: z
      .strictObject({
        name: z.string().meta({ examples: ["2026-01"] }),
        post_reads: z.int(),
        most_post_reads: z.int().meta({ description: "The budget, EARSHOT_X_MONTHLY_POST_READS." }),
      })
      .nullable()
      .meta({
        description:
          "Posts billed to the deployment's credentials in this month (UTC); null without a budget.",
      }),
  })
  .meta({
    id: "SourceCost",
    description: "Cost of the source; absent if it is free.",
    examples: [
      {
        post_reads: 20,
        user_reads: 0,
        requests: 1,
        usd: 0.1,
        month: { name: "2026-01", post_reads: 1240, most_post_reads: 10000 },
      },
    ],
  });

export const sources = z.array(
  z.strictObject({
    platform: z.string(),
    via: z.enum(accessMethods).meta({
      description:
        "archive: from the archive. credential: with an account's credential. api: with an application's token. public: without authentication.",
    }),
    from: time.nullable(),
    to: time,
    count: z.int(),
    cost: cost.optional(),
  }),
);

export const status = z
  .strictObject({
    uuid,
    status: state,
    error: z.string().meta({ description: "Why the job failed; otherwise empty." }),
    platform: z.enum(["social", ...platforms]),
    type: z.enum(sourceTypes),
    method: z.enum(methodNames),
    query: z.string(),
    canonical_query: z.string().meta({ description: "The query as parsed." }),
    sources,
    node: z.string().nullable().meta({ description: "The node that runs it or last ran it." }),
    evidence: z.enum(evidenceKinds).nullable().meta({
      description:
        "The evidence of the node that made the result; none for the embedded node; null without a result.",
    }),
    count: z.int().nullable().meta({ description: "Number of records; null until done." }),
    complete: z.boolean().nullable(),
    coverage: coverage.nullable(),
    warnings,
    submitted_at: time,
    started_at: time.nullable(),
    finished_at: time.nullable(),
    expires_at: time.nullable().meta({ description: "When the result is deleted." }),
    attempts: z.int(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "JobStatus", examples: [statusExample] });
