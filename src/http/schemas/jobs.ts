import * as z from "zod";
import { status, statusExample } from "./answers.ts";

const uuid = z.uuid().meta({ examples: ["0f8fad5b-d9cb-469f-a165-70867728950e"] });

export const cancelled = z
  .strictObject({ uuid, status: z.literal("cancelled"), error: z.literal("") })
  .meta({
    id: "CancelledJob",
    examples: [{ uuid: "0f8fad5b-d9cb-469f-a165-70867728950e", status: "cancelled", error: "" }],
  });

const { sources, coverage, next_cursor, ...summaryExample } = statusExample;

const summary = status.omit({ sources: true, coverage: true, next_cursor: true }).meta({
  id: "JobSummary",
  description: "A status without what its result says of itself.",
  examples: [summaryExample],
});

export const jobList = z
  .strictObject({
    jobs: z.array(summary),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: "Leads to the page that follows; null on the last one." }),
  })
  .meta({ id: "JobList", examples: [{ jobs: [summaryExample], next_cursor: null }] });

export const eventStream = z.string().meta({
  description:
    "Server-sent events: `event: job`, `id`, and as `data` a JSON object with uuid, status, attempts and at.",
  examples: [
    'retry: 3000\n\nid: 1208\nevent: job\ndata: {"uuid":"0f8fad5b-d9cb-469f-a165-70867728950e","status":"done","attempts":1,"at":"2026-01-31T12:00:00.009Z"}\n\n',
  ],
});
