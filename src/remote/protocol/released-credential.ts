import * as z from "zod";
import { platforms } from "../../posts/post.ts";
import type { ReleasedCredential } from "../../upstream/credentials/release.ts";

export const releasedCredential: z.ZodType<ReleasedCredential> = z.strictObject({
  id: z.string().min(1).max(64),
  platform: z.enum(platforms),
  kind: z.string().max(64),
  owner: z.enum(["account", "deployment"]),
  host: z.url({ protocol: /^https?$/ }).max(512),
  subject: z.string().max(512).nullable(),
  revision: z.int(),
  secrets: z.record(z.string().max(64), z.string().max(8_192)),
  coolings: z.array(z.strictObject({ bucket: z.string().max(64), untilMs: z.number() })).max(100),
});
