import type { ToolPost } from "./records.ts";
import type { McpSearchResponse } from "./run-search.ts";
import { quoteText, safeUrl, toInlineText, untrustedNote } from "./untrusted.ts";

export function renderPosts(posts: readonly ToolPost[]): string {
  if (posts.length === 0) return "";
  const entries = posts.map(
    (post, index) => `[${index + 1}] ${sourceLine(post)}\n${quoteText(post.text)}`,
  );
  return [untrustedNote, ...entries].join("\n\n");
}

/** The number of posts, their time range, and whether any may be missing. */
export function summaryLine(response: McpSearchResponse, noun: string): string {
  const count = response.results.length;
  const { from, to, gaps = [] } = response.coverage ?? {};
  const window = to ? ` between ${from ?? "the oldest archived post"} and ${to}` : "";
  const gapNote =
    gaps.length === 0
      ? ""
      : `, ${gaps.length} ${gaps.length === 1 ? "gap" : "gaps"} in the archive`;
  const state = response.complete
    ? "complete"
    : `may be incomplete${gapNote}${count === 0 ? ": this does not show that there are none" : ""}`;
  return `${count} ${count === 1 ? singular(noun) : noun}${window}; ${state}.`;
}

export const warningText = ({ code, message }: { code: string; message: string }): string =>
  message === "" ? code : message;

/** Warnings, the effect of max_chars, and the next page; empty if there are none. */
export function listNotes(response: McpSearchResponse): string[] {
  const { shortened, omitted } = response.truncated;
  return [
    ...response.warnings.map((warning) => `Warning: ${warningText(warning)}`),
    ...(shortened.length > 0
      ? [
          `${countNoun(shortened.length, "text is", "texts are")} shortened (…): raise max_chars for more.`,
        ]
      : []),
    ...(omitted > 0 ? [`${countNoun(omitted, "post")} did not fit into max_chars.`] : []),
    ...(response.next_cursor === null
      ? []
      : [`More follow: repeat the call with cursor "${response.next_cursor}".`]),
  ];
}

function sourceLine(post: ToolPost): string {
  const url = safeUrl(post.url);
  const counts = [
    positiveCount(post.likes, "like"),
    positiveCount(post.reposts, "repost"),
    positiveCount(post.replies, "reply", "replies"),
  ].filter((text) => text !== null);
  const parts = [
    post.author === null ? "unknown author" : `@${toInlineText(post.author)}`,
    post.created_at ?? "unknown time",
    post.platform,
    ...counts,
    url === null ? null : `<${url}>`,
    `id ${post.id}`,
  ];
  return parts.filter((part) => part !== null).join(" · ");
}

const positiveCount = (count: number | null, noun: string, plural?: string): string | null =>
  count === null || count === 0 ? null : countNoun(count, noun, plural);

export const countNoun = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

const singular = (noun: string): string => (noun.endsWith("s") ? noun.slice(0, -1) : noun);
