import * as z from "zod";
import { account, platform } from "../inputs.ts";
import { countNoun, listNotes } from "../render-posts.ts";
import { runSearch } from "../run-search.ts";
import type { Tool } from "../tool.ts";
import { quoteText, safeUrl, toInlineText, untrustedNote } from "../untrusted.ts";

const input = z.object({ account, platform });

const profile = z.object({
  id: z.string(),
  handle: z.string().nullable(),
  name: z.string().nullable(),
  description: z.string(),
  platform: z.string().nullable(),
  url: z.string().nullable(),
  created_at: z.string().nullable(),
  followers: z.number().nullable(),
  following: z.number().nullable(),
  posts: z.number().nullable(),
});

const output = z.object({ profile: profile.nullable(), complete: z.boolean() });

export const getProfile: Tool<typeof input, typeof output> = {
  name: "get_profile",
  title: "Get an account",
  description:
    "Returns an account's profile: name, description, counts. For its posts use search_posts with from:handle.",
  input,
  output,
  run: async (args, context) => {
    const response = await runSearch(
      {
        platform: args.platform,
        arguments: { type: "getprofilebyid", query: args.account, max_results: 1 },
        maxChars: null,
      },
      context,
    );
    const [record] = response.results;
    const { complete } = response;
    if (record === undefined) {
      const text = [
        "Account not found: it may be deleted or not visible.",
        ...listNotes(response),
      ].join("\n");
      return { structured: { profile: null, complete }, text };
    }
    const { Metadata } = record;
    const metrics = Metadata?.public_metrics;
    const accountProfile = {
      id: record.ID,
      handle: Metadata?.username ?? null,
      name: Metadata?.author ?? null,
      description: record.Content,
      platform: Metadata?.platform ?? null,
      url: Metadata?.url ?? null,
      created_at: Metadata?.created_at ?? null,
      followers: metrics?.followers_count ?? null,
      following: metrics?.following_count ?? null,
      posts: metrics?.tweet_count ?? null,
    };
    const facts = [
      `@${toInlineText(accountProfile.handle ?? accountProfile.id)}`,
      accountProfile.platform,
      safeUrl(accountProfile.url),
      accountProfile.followers === null ? null : countNoun(accountProfile.followers, "follower"),
      accountProfile.posts === null ? null : countNoun(accountProfile.posts, "post"),
    ];
    const text = [
      facts.filter((fact) => fact !== null).join(" · "),
      ...listNotes(response),
      untrustedNote,
      quoteText([accountProfile.name, accountProfile.description].filter(Boolean).join("\n")),
    ];
    return { structured: { profile: accountProfile, complete }, text: text.join("\n") };
  },
};
