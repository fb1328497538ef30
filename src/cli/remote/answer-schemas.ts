import * as z from "zod";
import { platforms } from "../../posts/post.ts";

const timestamp = z.iso.datetime().transform((text) => Date.parse(text));

const spans = z
  .array(z.object({ from: timestamp.nullable(), to: timestamp }))
  .transform((list) => list.map(({ from, to }) => ({ fromMs: from, toMs: to })));

export const coverageSchema = z
  .object({
    from: timestamp.nullable(),
    to: timestamp,
    complete: z.boolean(),
    gaps: spans,
    truncated: z.boolean().default(false),
    platforms: z
      .array(
        z.object({
          platform: z.enum(platforms),
          collection: z.enum(["posts", "likes", "reposts", "labels"]),
          complete: z.boolean(),
          held: spans,
          gaps: spans,
          truncated: z.boolean().default(false),
        }),
      )
      .default([]),
  })
  .transform(({ from, to, ...rest }) => ({ fromMs: from, toMs: to, ...rest }));

export const warningsSchema = z
  .array(z.object({ code: z.string(), message: z.string() }))
  .default([]);
