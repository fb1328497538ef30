import * as z from "zod";
import { jobStates } from "../../jobs/job.ts";
import { status, statusExample } from "./job-status.ts";

const uuid = z.uuid().meta({ examples: ["0f8fad5b-d9cb-469f-a165-70867728950e"] });

export const cancelledJob = z
  .strictObject({ uuid, status: z.literal("cancelled"), error: z.literal("") })
  .meta({
    id: "CancelledJob",
    examples: [{ uuid: "0f8fad5b-d9cb-469f-a165-70867728950e", status: "cancelled", error: "" }],
  });

const { sources, coverage, next_cursor, ...statusHead } = statusExample;
const summaryExample = { ...statusHead, key: "Qm3kT9xa", cost_usd: null };

const summary = status
  .omit({ sources: true, coverage: true, next_cursor: true })
  .extend({
    key: z.string().nullable().meta({
      description: "Id of the key or connected app that submitted it; null for the dashboard.",
    }),
    cost_usd: z.number().nullable().meta({
      description: "What platforms charged for the result; null if they have no price.",
    }),
  })
  .meta({
    id: "JobSummary",
    description: "A status without the coverage and sources of its result.",
    examples: [summaryExample],
  });

export const jobList = z
  .strictObject({
    jobs: z.array(summary),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: "Continues on the next page; null on the last one." }),
  })
  .meta({ id: "JobList", examples: [{ jobs: [summaryExample], next_cursor: null }] });

const jobChange = z.strictObject({
  uuid,
  status: z.enum(jobStates),
  attempts: z.int(),
  at: z.iso.datetime(),
});

const { $schema: _, ...contentSchema } = z.toJSONSchema(jobChange);

const eventData = z.string().meta({
  description: "A JSON object with uuid, status, attempts and at.",
  contentMediaType: "application/json",
  contentSchema,
});

/** Describes the stream in the form that client generators expect. */
export const streamedJobChange = z
  .looseObject({
    id: z
      .string()
      .regex(/^[0-9]+$/)
      .optional()
      .meta({ description: "Absent from the first event of a single job." }),
    event: z.literal("job"),
    data: eventData,
  })
  .meta({
    id: "StreamedJobChange",
    description: "A server-sent event: a state change of a job.",
    examples: [
      {
        id: "1208",
        event: "job",
        data: '{"uuid":"0f8fad5b-d9cb-469f-a165-70867728950e","status":"done","attempts":1,"at":"2026-01-31T12:00:00.009Z"}',
      },
    ],
  });
