import * as z from "zod";
import { metadata } from "./metadata.ts";

export const record = z
  .strictObject({
    ID: z.string().meta({
      description:
        "Post: decimal digits that sort by time. Account: its id. Trend: its rank. Space: its id.",
      examples: ["7"],
    }),
    Content: z.string().meta({
      description:
        "Post: its text. Account: its description. Trend: its name. Space: its title. As received.",
    }),
    Metadata: metadata.nullable(),
    Score: z.number().meta({ description: "1 when ordered by time." }),
  })
  .meta({
    id: "Record",
    examples: [
      { ID: "1885000000000000000", Content: "A comet over the bay", Metadata: null, Score: 1 },
    ],
  });

export const records = z.array(record).meta({
  examples: [
    [{ ID: "1885000000000000000", Content: "A comet over the bay", Metadata: null, Score: 1 }],
  ],
});

export const recentResponse = z
  .strictObject({
    data: z.array(record),
    recordCount: z.int(),
    workerPeerId: z.string().meta({ description: "The node that ran the search." }),
  })
  .meta({ id: "RecentPosts", examples: [{ data: [], recordCount: 0, workerPeerId: "embedded" }] });
