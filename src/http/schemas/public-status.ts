import * as z from "zod";
import { platforms } from "../../posts/post.ts";

const time = z.iso.datetime().meta({ examples: ["2026-01-31T12:00:00.000Z"] });
const span = z.strictObject({ from: time, to: time });

const platformStatus = z.strictObject({
  platform: z.enum(platforms),
  mode: z.enum(["streamed", "live", "archived", "off"]).meta({
    description:
      "streamed: a live stream fills the archive. live: searched on the platform. archived: no stream adds to its posts. off: none of these.",
  }),
  posts: z.int().meta({ description: "Archived posts." }),
  stream: z
    .strictObject({
      status: z.enum(["off", "waiting", "connected", "paused"]),
      lag_ms: z
        .number()
        .nullable()
        .meta({ description: "How far it is behind the present; null if unknown." }),
    })
    .nullable(),
  coverage: z.strictObject({
    held: z.array(span).meta({ description: "Times that are covered completely, oldest first." }),
    gaps: z.array(span).meta({ description: "Times that are not, oldest first; up to 100." }),
    complete_since: time.nullable().meta({
      description: "Start of the latest time without a gap, which may be before `from`.",
    }),
  }),
});

export const publicStatus = z
  .strictObject({
    status: z.enum(["ready", "read only", "not ready"]).meta({
      description: "read only: the disk is full, and submissions are refused with 503.",
    }),
    from: time,
    to: time,
    platforms: z.array(platformStatus),
  })
  .meta({
    id: "ServiceStatus",
    description: "The last 7 days, as of `to`.",
    examples: [
      {
        status: "ready",
        from: "2026-01-24T12:00:00.000Z",
        to: "2026-01-31T12:00:00.000Z",
        platforms: [
          {
            platform: "bluesky",
            mode: "streamed",
            posts: 38204511,
            stream: { status: "connected", lag_ms: 1200 },
            coverage: {
              held: [{ from: "2026-01-24T12:00:00.000Z", to: "2026-01-31T12:00:00.000Z" }],
              gaps: [],
              complete_since: "2026-01-10T08:00:00.000Z",
            },
          },
        ],
      },
    ],
  });

export type PublicStatus = z.infer<typeof publicStatus>;
