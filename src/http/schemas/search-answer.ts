import * as z from "zod";
import { defaultColumns } from "../answers/csv.ts";
import { answerFormats } from "../answers/negotiate.ts";
import { coverage } from "./coverage.ts";
import { sources, warnings } from "./job-status.ts";

const citation = z
  .strictObject({
    id: z.string(),
    url: z.string().nullable(),
    author: z.string().nullable().meta({ description: "The author's handle." }),
    created_at: z.string().nullable(),
  })
  .meta({
    id: "Citation",
    examples: [
      {
        id: "2017571234567890123",
        url: "https://bsky.app/profile/did:plc:ann/post/3lk7",
        author: "ann.example",
        created_at: "2026-01-31T11:59:00Z",
      },
    ],
  });

const searchAnswer = z
  .strictObject({
    uuid: z.uuid(),
    status: z.literal("done"),
    results: z
      .array(
        z.looseObject({
          ID: z.string().optional(),
          Content: z.string().optional(),
          Metadata: z.looseObject({}).nullable().optional(),
          Score: z.number().optional(),
        }),
      )
      .meta({
        description:
          "The records; posts of a search come newest first, others in the platform's order. If fields is set, they have only those.",
      }),
    next_cursor: z.string().nullable(),
    complete: z.boolean(),
    coverage,
    sources,
    warnings,
    canonical_query: z.string().meta({ description: "The query as parsed." }),
    citations: z.array(citation).meta({ description: "One for each record, in their order." }),
    truncated: z
      .strictObject({
        shortened: z
          .array(z.string())
          .meta({ description: "IDs of posts whose text is shortened." }),
        omitted: z.int().meta({
          description:
            "Omitted records; next_cursor continues with them, unless the warning left_out says otherwise.",
        }),
      })
      .meta({ description: "What max_chars shortened and omitted." }),
  })
  .meta({
    id: "SearchAnswer",
    examples: [
      {
        uuid: "0f8fad5b-d9cb-469f-a165-70867728950e",
        status: "done",
        results: [
          {
            ID: "2017571234567890123",
            Content: "A comet over the bay",
            Metadata: { username: "ann.example", public_metrics: { like_count: 3 } },
          },
        ],
        next_cursor: null,
        complete: true,
        coverage: {
          from: "2026-01-24T12:00:00.000Z",
          to: "2026-01-31T12:00:00.000Z",
          complete: true,
          gaps: [],
          truncated: false,
          platforms: [],
        },
        sources: [
          {
            platform: "bluesky",
            via: "archive",
            from: "2026-01-24T12:00:00.000Z",
            to: "2026-01-31T12:00:00.000Z",
            count: 1,
          },
        ],
        warnings: [],
        canonical_query: "comet lang:en",
        citations: [
          {
            id: "2017571234567890123",
            url: "https://bsky.app/profile/did:plc:ann/post/3lk7",
            author: "ann.example",
            created_at: "2026-01-31T11:59:00Z",
          },
        ],
        truncated: { shortened: [], omitted: 0 },
      },
    ],
  });

const textFormats = {
  "application/x-ndjson": {
    description: "One record per line.",
    example: '{"ID":"2017571234567890123","Content":"A comet over the bay"}\n',
  },
  "text/csv": {
    description: `A header row, then one row per record (RFC 4180). Default columns of posts: ${defaultColumns.join(", ")}.`,
    example: "ID,Content\r\n2017571234567890123,A comet over the bay\r\n",
  },
  "text/markdown": {
    description: "Numbered quotations with author, time and link, for people and language models.",
    example:
      "# Search: `comet`\n\n1. `@ann.example` · 2026-01-31T11:59:00Z · bluesky\n\n   >     A comet over the bay\n",
  },
} as const;

export const searchResponses = {
  description:
    "The records; posts of a search come newest first. X-Coverage, X-Next-Cursor, X-Warnings, X-Truncated and X-Job-Uuid are set in every format.",
  content: Object.fromEntries(
    answerFormats.map((format) => [
      format,
      {
        schema:
          format === "application/json"
            ? searchAnswer
            : z.string().meta({
                description: textFormats[format].description,
                examples: [textFormats[format].example],
              }),
      },
    ]),
  ),
};
