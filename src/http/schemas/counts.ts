import * as z from "zod";
import { coverage } from "./coverage.ts";
import { warnings } from "./job-status.ts";
import { queryTextError } from "./submission.ts";
import { closedQuery, errorWithHint, namedEnum } from "./words.ts";

const momentError = errorWithHint(
  "expected an ISO 8601 date or a time with its zone, such as 2026-01-31T12:00:00Z",
  "write + as %2B in a URL",
);

const moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], momentError)
  .meta({ examples: ["2026-01-31T12:00:00Z"] });

const tokenError = errorWithHint(
  "expected the next_token of an earlier page",
  "send meta.next_token unchanged",
);

export const granularities = ["minute", "hour", "day"] as const;

export const countsQuery = closedQuery("send ?query=comet&granularity=hour", {
  query: z
    .string(queryTextError)
    .meta({ description: "The query, with operators.", examples: ["comet lang:en"] }),
  granularity: namedEnum("granularity", granularities, "omit it, or send granularity=hour")
    .optional()
    .meta({ description: "Length of a bucket; default: hour.", examples: ["hour"] }),
  start_time: moment.optional().meta({
    description: "Only posts from this time on; default: 7 days before end_time.",
  }),
  end_time: moment.optional().meta({ description: "Only posts before this time; default: now." }),
  next_token: z
    .string(tokenError)
    .max(2_048, tokenError)
    .optional()
    .meta({ description: "meta.next_token of an earlier page of the same count." }),
});

export type CountsQuery = z.infer<typeof countsQuery>;

const time = z.iso.datetime();

export const countsResponse = z
  .strictObject({
    data: z
      .array(z.strictObject({ start: time, end: time, tweet_count: z.int() }))
      .meta({ description: "Every bucket of the page, oldest first, including empty ones." }),
    meta: z.strictObject({
      total_tweet_count: z.int().meta({ description: "Of this page." }),
      next_token: z
        .string()
        .optional()
        .meta({ description: "Present if the window begins before this page." }),
    }),
    complete: z.boolean().meta({
      description: "Whether the whole page was counted and is covered completely.",
    }),
    coverage,
    warnings,
    canonical_query: z.string().meta({ description: "The query as parsed." }),
  })
  .meta({
    id: "PostCounts",
    examples: [
      {
        data: [
          {
            start: "2026-01-31T11:00:00.000Z",
            end: "2026-01-31T12:00:00.000Z",
            tweet_count: 3,
          },
        ],
        meta: { total_tweet_count: 3 },
        complete: true,
        coverage: {
          from: "2026-01-31T11:00:00.000Z",
          to: "2026-01-31T12:00:00.000Z",
          complete: true,
          gaps: [],
          truncated: false,
          platforms: [],
        },
        warnings: [],
        canonical_query: "comet",
      },
    ],
  });
