import * as z from "zod";
import { closedObject, wording } from "./words.ts";

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

const wholeSeconds = wording(
  "expected a whole number of seconds from 1 to 30",
  "write it in digits, such as ?wait=10",
);

/** `?wait=` of status and result, in seconds. */
export const waitQuery = closedObject(
  {
    what: "parameter",
    needed: "the query string is not valid",
    hint: "the only parameter is wait, such as ?wait=10",
  },
  {
    wait: z
      .preprocess(readSeconds, z.int(wholeSeconds).min(1, wholeSeconds).max(30, wholeSeconds))
      .optional()
      .meta({
        description: "Holds the request until the job ends, at most so many seconds.",
        examples: [10],
      }),
  },
);

/** Digits alone, written once in one way: no sign, no space, no exponent. */
function readSeconds(written: unknown): unknown {
  return typeof written === "string" && /^([1-9]|[12]\d|30)$/.test(written)
    ? Number(written)
    : written;
}
