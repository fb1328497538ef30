import * as z from "zod";
import { platforms } from "../../posts/post.ts";

const time = z.iso.datetime().meta({ examples: ["2026-01-31T12:00:00.000Z"] });

const span = z
  .strictObject({
    from: time.nullable().meta({ description: "Inclusive; null if unbounded." }),
    to: time.meta({ description: "Exclusive." }),
  })
  .meta({
    id: "TimeSpan",
    examples: [{ from: "2026-01-28T03:10:00.000Z", to: "2026-01-28T04:25:00.000Z" }],
  });
const spans = z.array(span);
const truncated = z.boolean().meta({
  description:
    "Whether the oldest gaps are merged into one, although parts between them are covered.",
});

const collectionCoverage = z
  .strictObject({
    platform: z.enum(platforms),
    collection: z.enum(["posts", "likes", "reposts", "labels"]).meta({
      description:
        "posts: within the window. The others are present if the query depends on them, from the first post for which they matter until the time of the search.",
    }),
    complete: z.boolean(),
    held: spans.meta({ description: "Times that are covered completely, oldest first." }),
    gaps: spans.meta({ description: "Times that are not, oldest first; up to 100." }),
    truncated,
  })
  .meta({
    id: "CollectionCoverage",
    examples: [
      {
        platform: "bluesky",
        collection: "likes",
        complete: false,
        held: [{ from: "2026-01-28T04:25:00.000Z", to: "2026-01-31T12:00:00.000Z" }],
        gaps: [{ from: "2026-01-24T12:00:00.000Z", to: "2026-01-28T04:25:00.000Z" }],
        truncated: false,
      },
    ],
  });

export const coverage = z
  .strictObject({
    from: time.nullable(),
    to: time,
    complete: z.boolean(),
    gaps: spans.meta({ description: "Of all platforms together, oldest first; up to 100." }),
    truncated,
    platforms: z.array(collectionCoverage),
  })
  .meta({
    id: "Coverage",
    description: "Which part of a window is completely covered.",
    examples: [
      {
        from: "2026-01-24T12:00:00.000Z",
        to: "2026-01-31T12:00:00.000Z",
        complete: false,
        gaps: [{ from: "2026-01-28T03:10:00.000Z", to: "2026-01-28T04:25:00.000Z" }],
        truncated: false,
        platforms: [
          {
            platform: "bluesky",
            collection: "posts",
            complete: false,
            held: [
              { from: "2026-01-24T12:00:00.000Z", to: "2026-01-28T03:10:00.000Z" },
              { from: "2026-01-28T04:25:00.000Z", to: "2026-01-31T12:00:00.000Z" },
            ],
            gaps: [{ from: "2026-01-28T03:10:00.000Z", to: "2026-01-28T04:25:00.000Z" }],
            truncated: false,
          },
        ],
      },
    ],
  });
