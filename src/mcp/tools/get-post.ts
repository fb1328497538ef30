import * as z from "zod";
import { platform, postName } from "../inputs.ts";
import { post, toToolPost } from "../records.ts";
import { listNotes, renderPosts } from "../render-posts.ts";
import { runSearch } from "../run-search.ts";
import type { Tool } from "../tool.ts";

const input = z.object({ post: postName, platform });
const output = z.object({ post: post.nullable() });

export const getPost: Tool<typeof input, typeof output> = {
  name: "get_post",
  title: "Get a post",
  description: "Returns one post by id or URL. Use it to check a quotation or its counts.",
  input,
  output,
  run: async (args, context) => {
    const response = await runSearch(
      {
        platform: args.platform,
        arguments: { type: "getbyid", query: args.post, max_results: 1 },
        maxChars: null,
      },
      context,
    );
    const [record] = response.results;
    if (record === undefined) {
      const text = [
        "Post not found: it may be deleted, hidden or not archived.",
        ...listNotes(response),
      ];
      return { structured: { post: null }, text: text.join("\n") };
    }
    const toolPost = toToolPost(record);
    return { structured: { post: toolPost }, text: renderPosts([toolPost]) };
  },
};
