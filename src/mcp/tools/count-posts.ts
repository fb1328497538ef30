import * as z from "zod";
import { readBody } from "../api.ts";
import { endTime, platform, startTime } from "../inputs.ts";
import { warningText } from "../render-posts.ts";
import type { Tool } from "../tool.ts";

const input = z.object({
  query: z.string().describe("As for search_posts"),
  start_time: startTime,
  end_time: endTime,
  granularity: z.enum(["minute", "hour", "day"]).default("day"),
  platform,
});

const output = z.object({
  total: z.number(),
  buckets: z.array(z.object({ start: z.string(), count: z.number() })),
  complete: z
    .boolean()
    .describe("False if posts in this time range may be missing from the archive"),
  warnings: z.array(z.string()),
});

const countsResponse = z.object({
  data: z.array(z.object({ start: z.string(), tweet_count: z.number() })),
  meta: z.object({ total_tweet_count: z.number(), next_token: z.string().nullish() }),
  complete: z.boolean(),
  warnings: z.array(z.object({ code: z.string(), message: z.string().default("") })).default([]),
});

const maxLines = 60;

export const countPosts: Tool<typeof input, typeof output> = {
  name: "count_posts",
  title: "Count posts over time",
  description: `Counts the archived posts that match a query, per minute, hour or day. Use it to see when something was discussed, or how much, without reading posts. Without start_time: the last 7 days. Times are UTC.`,
  input,
  output,
  run: async (args, { api, signal }) => {
    const parameters = new URLSearchParams({ query: args.query, granularity: args.granularity });
    if (args.start_time !== undefined) parameters.set("start_time", args.start_time);
    if (args.end_time !== undefined) parameters.set("end_time", args.end_time);
    const path = `/v1/search/${args.platform}/counts?${parameters}`;
    const counts = readBody(await api({ method: "GET", path, signal }), countsResponse);
    const buckets = counts.data.map(({ start, tweet_count }) => ({ start, count: tweet_count }));
    const total = counts.meta.total_tweet_count;
    const warnings = counts.warnings.map(warningText);
    if (counts.meta.next_token)
      warnings.push("only the newest part of the time range was counted: narrow it");
    if (total === 0 && args.start_time === undefined)
      warnings.push("only the last 7 days were counted: use start_time for older posts");
    const nonEmpty = buckets.filter(({ count }) => count > 0);
    const state = counts.complete ? "complete" : "the archive may lack posts in this time range";
    const text = [
      `${total} ${total === 1 ? "post" : "posts"}, ${state}.`,
      ...warnings.map((warning) => `Warning: ${warning}`),
      ...nonEmpty.slice(-maxLines).map(({ start, count }) => `${start} ${count}`),
      ...(nonEmpty.length > maxLines
        ? [`(${nonEmpty.length - maxLines} earlier ones omitted)`]
        : []),
    ].join("\n");
    return { structured: { total, buckets, complete: counts.complete, warnings }, text };
  },
};
