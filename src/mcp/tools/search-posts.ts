import * as z from "zod";
import { cursor, endTime, maxChars, maxResults, platform, startTime } from "../inputs.ts";
import { post, toToolPost } from "../records.ts";
import { listNotes, renderPosts, summaryLine, warningText } from "../render-posts.ts";
import { runSearch } from "../run-search.ts";
import type { Tool } from "../tool.ts";

const input = z.object({
  query: z.string().describe("Words and operators; all must match"),
  scope: z
    .enum(["recent", "all"])
    .optional()
    .describe(
      '"recent": the last 7 days; "all": the whole archive. Default: "all" with start_time, else "recent"',
    ),
  start_time: startTime,
  end_time: endTime,
  platform,
  max_results: maxResults,
  max_chars: maxChars,
  cursor,
});

const output = z.object({
  posts: z.array(post),
  next_cursor: z.string().nullable(),
  complete: z.boolean().describe("False if posts may be missing"),
  warnings: z.array(z.string()),
  canonical_query: z.string().nullable(),
  job: z.string(),
});

const recentOnly = {
  code: "recent_only",
  message: 'only the last 7 days were searched: repeat the call with scope "all" for older posts',
};

export const searchPosts: Tool<typeof input, typeof output> = {
  name: "search_posts",
  title: "Search social posts",
  description: `Finds posts on Bluesky, Mastodon and X, newest first, with links to cite.
Queries use X's operators: words (all must match), "a phrase", OR, -not, parentheses, from:handle, lang:en, since:2026-01-31, min_faves:10, #hashtag, has:links, filter:replies, -filter:retweets.
Examples:
- aurora lang:en -filter:retweets
- "northern lights" (iceland OR norway) has:images
- from:nasa.gov artemis
- (earthquake OR terremoto) min_faves:50
- #rustlang -from:spambot.example has:links
If the query has an error, the result says where and how to fix it. "complete: false" means that posts may be missing, so an empty result proves nothing.`,
  input,
  output,
  run: async (args, context) => {
    const isAll = (args.scope ?? (args.start_time === undefined ? "recent" : "all")) === "all";
    const response = await runSearch(
      {
        platform: args.platform,
        arguments: {
          type: isAll ? "searchbyfullarchive" : "searchbyquery",
          query: args.query,
          max_results: args.max_results,
          start_time: args.start_time,
          end_time: args.end_time,
          next_cursor: args.cursor,
        },
        maxChars: args.max_chars,
      },
      context,
    );
    const posts = response.results.map(toToolPost);
    const warnings =
      isAll || posts.length > 0 ? response.warnings : [...response.warnings, recentOnly];
    return {
      structured: {
        posts,
        next_cursor: response.next_cursor,
        complete: response.complete,
        warnings: warnings.map(warningText),
        canonical_query: response.canonical_query ?? null,
        job: response.uuid,
      },
      text: [
        summaryLine(response, "posts"),
        ...listNotes({ ...response, warnings }),
        "",
        renderPosts(posts),
      ]
        .join("\n")
        .trimEnd(),
      links: [
        {
          uri: `earshot://jobs/${response.uuid}`,
          name: "The complete records of this page",
          mimeType: "application/json",
        },
      ],
    };
  },
};
