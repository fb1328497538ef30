import * as z from "zod";
import { closedObject } from "./words.ts";

const platform = z.string().meta({
  description: "social for all platforms, or bluesky, mastodon, x, twitter.",
  examples: ["social"],
});

const uuid = z.string().meta({
  description: "The uuid of the submission's answer.",
  examples: ["0f8fad5b-d9cb-469f-a165-70867728950e"],
});

export const platformPath = z.object({ platform });
export const jobPath = z.object({ uuid });
export const platformJobPath = z.object({ platform, uuid });

/** `?wait=` of status and result, in seconds. */
export const waitQuery = closedObject("parameter", {
  wait: z.coerce
    .number({ error: "expected a whole number of seconds from 1 to 30" })
    .int({ error: "expected a whole number of seconds from 1 to 30" })
    .min(1, { error: "expected 1 to 30 seconds" })
    .max(30, { error: "expected 1 to 30 seconds" })
    .optional()
    .meta({
      description: "Holds the request until the job ends, at most so many seconds.",
      examples: [10],
    }),
});
