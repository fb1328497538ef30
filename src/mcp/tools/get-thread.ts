import * as z from "zod";
import { maxChars, maxResults, platform, postName } from "../inputs.ts";
import { type ApiRecord, post, postOf } from "../records.ts";
import { notesOf, renderPosts, summaryLine } from "../render-posts.ts";
import { runSearch } from "../run-search.ts";
import type { Tool } from "../tool.ts";

const input = z.object({ post: postName, platform, max_results: maxResults, max_chars: maxChars });

const output = z.object({
  posts: z.array(post).describe("Oldest first; in_reply_to is the post that each replies to"),
  next_cursor: z.string().nullable(),
  complete: z.boolean(),
});

export const getThread: Tool<typeof input, typeof output> = {
  name: "get_thread",
  title: "Get a conversation",
  description:
    "Returns the archived posts of a conversation, oldest first: the first post and its replies. Costs two searches.",
  input,
  output,
  run: async (args, context) => {
    const { platform: at, max_results: limit } = args;
    const lookup = await runSearch(
      {
        platform: at,
        arguments: { type: "getbyid", query: args.post, max_results: 1 },
        maxChars: null,
      },
      context,
    );
    const [record] = lookup.results;
    if (record === undefined) {
      const text = ["No such post: deleted, hidden, or not archived.", ...notesOf(lookup)].join(
        "\n",
      );
      return { structured: { posts: [], next_cursor: null, complete: lookup.complete }, text };
    }
    const answer = await runSearch(
      {
        platform: at,
        arguments: {
          type: "searchbyfullarchive",
          query: `conversation_id:${record.Metadata?.conversation_id ?? record.ID}`,
          max_results: limit,
        },
        maxChars: args.max_chars,
      },
      context,
    );
    const posts = oldestFirst([record, ...answer.results]).map(postOf);
    return {
      structured: { posts, next_cursor: answer.next_cursor, complete: answer.complete },
      text: [summaryLine(answer, "posts"), ...notesOf(answer), "", renderPosts(posts)].join("\n"),
    };
  },
};

function oldestFirst(records: readonly ApiRecord[]): ApiRecord[] {
  const byId = new Map(records.map((record) => [record.ID, record]));
  return [...byId.values()].sort((a, b) => (BigInt(a.ID) < BigInt(b.ID) ? -1 : 1));
}
