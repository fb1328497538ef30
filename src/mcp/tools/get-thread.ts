import * as z from "zod";
import { cursor, maxChars, maxResults, platform, postName } from "../inputs.ts";
import { type ApiRecord, post, toToolPost } from "../records.ts";
import { listNotes, renderPosts, summaryLine } from "../render-posts.ts";
import { runSearch } from "../run-search.ts";
import type { Tool } from "../tool.ts";

const input = z.object({
  post: postName,
  platform,
  max_results: maxResults,
  max_chars: maxChars,
  cursor,
});

const output = z.object({
  posts: z.array(post).describe("Oldest first; in_reply_to is the ID of the post it replies to"),
  next_cursor: z.string().nullable(),
  complete: z.boolean(),
});

export const getThread: Tool<typeof input, typeof output> = {
  name: "get_thread",
  title: "Get a conversation",
  description:
    "Returns a post and the newest archived posts in its conversation, oldest first; a cursor gets earlier ones. Costs two searches.",
  input,
  output,
  run: async (args, context) => {
    const { platform: requestedPlatform, max_results: limit } = args;
    const lookup = await runSearch(
      {
        platform: requestedPlatform,
        arguments: { type: "getbyid", query: args.post, max_results: 1 },
        maxChars: null,
      },
      context,
    );
    const [record] = lookup.results;
    if (record === undefined) {
      const text = [
        "Post not found: it may be deleted, hidden or not archived.",
        ...listNotes(lookup),
      ].join("\n");
      return { structured: { posts: [], next_cursor: null, complete: lookup.complete }, text };
    }
    const response = await runSearch(
      {
        platform: requestedPlatform,
        arguments: {
          type: "searchbyfullarchive",
          query: `conversation_id:${record.Metadata?.conversation_id ?? record.ID}`,
          max_results: limit,
          next_cursor: args.cursor,
        },
        maxChars: args.max_chars,
      },
      context,
    );
    const replies = response.results.filter(({ ID }) => ID !== record.ID);
    const isFirstPage = args.cursor === undefined;
    const posts = oldestFirst(isFirstPage ? [record, ...replies] : replies).map(toToolPost);
    return {
      structured: { posts, next_cursor: response.next_cursor, complete: response.complete },
      text: [summaryLine(response, "posts"), ...listNotes(response), "", renderPosts(posts)].join(
        "\n",
      ),
    };
  },
};

const oldestFirst = (records: readonly ApiRecord[]): ApiRecord[] =>
  records.toSorted((a, b) => (BigInt(a.ID) < BigInt(b.ID) ? -1 : 1));
