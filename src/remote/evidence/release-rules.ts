import * as z from "zod";
import type { Platform } from "../../posts/post.ts";
import type { VerifiedEvidence } from "./evidence.ts";

const refusalReasons: Readonly<Record<string, string>> = {
  x: "X bills reads, and a remote node's calls do not count toward the gateway's budget",
  bluesky: "only one process can renew a Bluesky session",
};

/** `owner: "any"` includes the accounts' own credentials. */
export const releaseRule = z.strictObject({
  platform: z.literal("mastodon", {
    error: ({ input }) =>
      `must be "mastodon"${typeof input === "string" && input in refusalReasons ? `: ${refusalReasons[input]}` : ""}`,
  }),
  owner: z.enum(["deployment", "any"]).default("deployment"),
  images: z.array(z.string().min(1).max(128)).min(1).max(1_000),
  compose_hashes: z
    .array(
      z
        .string()
        .regex(/^[0-9a-f]{64}$/i, "must be 64 hexadecimal digits")
        .toLowerCase(),
    )
    .min(1)
    .max(1_000)
    .optional(),
  evidence: z
    .array(z.enum(["tdx", "simulated"]))
    .min(1)
    .default(["tdx"]),
});
type ReleaseRule = z.infer<typeof releaseRule>;
export type ReleaseRules = readonly ReleaseRule[];

export type Release = { platform: Platform; owner: ReleaseRule["owner"] };

export function releasesFor(
  rules: ReleaseRules,
  { kind, image, composeHash }: Pick<VerifiedEvidence, "kind" | "image" | "composeHash">,
): readonly Release[] {
  const matchingRules = rules.filter(
    ({ evidence, images, compose_hashes: hashes }) =>
      evidence.some((one) => one === kind) &&
      image !== null &&
      images.includes(image) &&
      (hashes === undefined || (composeHash !== null && hashes.includes(composeHash))),
  );
  const platforms = [...new Set(matchingRules.map(({ platform }) => platform))];
  return platforms.map((platform) => {
    const isAnyOwner = matchingRules.some(
      (rule) => rule.platform === platform && rule.owner === "any",
    );
    return { platform, owner: isAnyOwner ? "any" : "deployment" };
  });
}
