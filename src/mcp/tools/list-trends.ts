import * as z from "zod";
import { maxResults, platform } from "../inputs.ts";
import { countNoun, listNotes, warningText } from "../render-posts.ts";
import { runSearch } from "../run-search.ts";
import type { Tool } from "../tool.ts";
import { quoteText, untrustedNote } from "../untrusted.ts";

const input = z.object({
  platform: platform.describe('One platform; "social" is the default one of the service'),
  max_results: maxResults,
});

const trend = z.object({
  rank: z.number(),
  name: z.string(),
  posts: z.number().nullable(),
  url: z.string().nullable(),
});

const output = z.object({ trends: z.array(trend), warnings: z.array(z.string()) });

export const listTrends: Tool<typeof input, typeof output> = {
  name: "list_trends",
  title: "List trends",
  description:
    "Returns the most discussed topics right now, as names to search for with search_posts.",
  input,
  output,
  run: async (args, context) => {
    const response = await runSearch(
      {
        platform: args.platform,
        arguments: { type: "gettrends", max_results: args.max_results },
        maxChars: null,
      },
      context,
    );
    const trends = response.results.map(({ Content, Metadata }, index) => ({
      rank: Metadata?.rank ?? index + 1,
      name: Content,
      posts: Metadata?.public_metrics?.tweet_count ?? null,
      url: Metadata?.url ?? null,
    }));
    const warnings = response.warnings.map(warningText);
    const lines = trends.map(({ rank, name, posts }) =>
      quoteText(`${rank}. ${name}${posts === null ? "" : ` (${countNoun(posts, "post")})`}`),
    );
    const text = [
      ...listNotes(response),
      ...(lines.length === 0 ? ["No trends."] : [untrustedNote, ...lines]),
    ];
    return { structured: { trends, warnings }, text: text.join("\n") };
  },
};
