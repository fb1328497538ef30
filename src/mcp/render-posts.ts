import type { ToolPost } from "./records.ts";
import type { ToolAnswer } from "./run-search.ts";
import { inline, quoted, safeUrl, untrustedNote } from "./untrusted.ts";

/** Numbered quotations with their sources. */
export function renderPosts(posts: readonly ToolPost[]): string {
  if (posts.length === 0) return "";
  const entries = posts.map(
    (each, index) => `[${index + 1}] ${sourceLine(each)}\n${quoted(each.text)}`,
  );
  return [untrustedNote, ...entries].join("\n\n");
}

/** One line: how many, of which time, and whether any may be missing. */
export function summaryLine(answer: ToolAnswer, what: string): string {
  const count = answer.results.length;
  const { from, to, gaps = [] } = answer.coverage ?? {};
  const window = to ? ` between ${from ?? "the oldest archived post"} and ${to}` : "";
  const missing =
    gaps.length === 0
      ? ""
      : `, ${gaps.length} ${gaps.length === 1 ? "gap" : "gaps"} in the archive`;
  const state = answer.complete
    ? "complete"
    : `may be incomplete${missing}${count === 0 ? ": this does not show that there are none" : ""}`;
  return `${count} ${count === 1 ? singular(what) : what}${window}; ${state}.`;
}

export const warningText = ({ code, message }: { code: string; message: string }): string =>
  message === "" ? code : message;

/** Warnings, what max_chars left out, and the next page; empty if there is nothing to say. */
export function notesOf(answer: ToolAnswer): string[] {
  const { shortened, omitted } = answer.truncated;
  return [
    ...answer.warnings.map((warning) => `Warning: ${warningText(warning)}`),
    ...(shortened.length > 0
      ? [`${shortened.length} texts are shortened (…): raise max_chars for more.`]
      : []),
    ...(omitted > 0 ? [`${omitted} posts did not fit into max_chars.`] : []),
    ...(answer.next_cursor === null
      ? []
      : [`More follow: repeat the call with cursor "${answer.next_cursor}".`]),
  ];
}

function sourceLine(each: ToolPost): string {
  const url = safeUrl(each.url);
  const counts = [
    countOf(each.likes, "like"),
    countOf(each.reposts, "repost"),
    countOf(each.replies, "reply", "replies"),
  ].filter((text) => text !== null);
  const parts = [
    each.author === null ? "unknown author" : `@${inline(each.author)}`,
    each.created_at ?? "unknown time",
    each.platform,
    ...counts,
    url === null ? null : `<${url}>`,
    `id ${each.id}`,
  ];
  return parts.filter((part) => part !== null).join(" · ");
}

const countOf = (count: number | null, one: string, many = `${one}s`): string | null =>
  count === null || count === 0 ? null : `${count} ${count === 1 ? one : many}`;

const singular = (what: string): string => (what.endsWith("s") ? what.slice(0, -1) : what);
