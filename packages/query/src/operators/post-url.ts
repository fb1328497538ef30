import type { DiagnosticDetails } from "../tree/diagnostics.ts";

const xPostForm =
  /^(?:https?:\/\/)?(?:www\.|mobile\.|m\.)?(?:x|twitter)\.com\/((?:[a-z0-9_]{1,20}|i\/web)\/status(?:es)?\/(\d{1,19}))(?![\p{L}\p{N}_-])/iu;
const blueskyPostForm =
  /^(?:https?:\/\/)?bsky\.app\/profile\/[a-z0-9.:%_-]{1,260}\/post\/[a-z0-9]{1,32}(?![\p{L}\p{N}_-])/iu;

type PostUrl = { text: string; warning: DiagnosticDetails | null };

/**
 * Strips host and parameters from a post's URL on X, so that it matches on x.com and twitter.com.
 */
export function readPostUrl(url: string): PostUrl {
  const [, path, id] = xPostForm.exec(url) ?? [];
  if (path !== undefined && id !== undefined) return { text: path, warning: warningAbout(id) };
  const page = blueskyPostForm.exec(url)?.[0];
  if (page === undefined) return { text: url, warning: null };
  return { text: url, warning: warningAbout(page.includes("://") ? page : `https://${page}`) };
}

function warningAbout(post: string): DiagnosticDetails {
  return {
    message: "this finds posts that link to the post, not its replies or quotes",
    hint: `use in_reply_to:${post} for its replies, quoted:${post} for its quotes, conversation_id:${post} for its conversation`,
  };
}
