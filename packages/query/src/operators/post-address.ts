import type { Warning } from "../tree/diagnostics.ts";

const onX =
  /^(?:https?:\/\/)?(?:www\.|mobile\.|m\.)?(?:x|twitter)\.com\/((?:[a-z0-9_]{1,20}|i\/web)\/status(?:es)?\/(\d{1,19}))(?![\p{L}\p{N}_-])/iu;
const onBluesky =
  /^(?:https?:\/\/)?bsky\.app\/profile\/[a-z0-9.:%_-]{1,260}\/post\/[a-z0-9]{1,32}(?![\p{L}\p{N}_-])/iu;

export type Address = { text: string; warning: Warning | null };

/** Strips host and parameters from an X post's address, so that it matches on both x.com and twitter.com. */
export function readPostAddress(written: string): Address {
  const [, path, id] = onX.exec(written) ?? [];
  if (path !== undefined && id !== undefined) return { text: path, warning: warningAbout(id) };
  const page = onBluesky.exec(written)?.[0];
  if (page === undefined) return { text: written, warning: null };
  return { text: written, warning: warningAbout(page.includes("://") ? page : `https://${page}`) };
}

function warningAbout(post: string): Warning {
  return {
    message: "this finds posts that link to the post, not its replies or quotes",
    hint: `use in_reply_to:${post} for its replies, quoted:${post} for its quotes, conversation_id:${post} for its conversation`,
  };
}
