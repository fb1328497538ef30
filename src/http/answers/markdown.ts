import { isSearch } from "../../platforms/methods.ts";
import type { Coverage } from "../../platforms/source.ts";
import type { RecordKind } from "../../remote/protocol/read-record.ts";
import { iso } from "../submission/window.ts";
import { readField } from "./fields.ts";
import { codeSpan, escapeInline, link, quoteLines } from "./markdown-text.ts";
import { type AnswerPage, type AnswerPost, pageWarnings } from "./page.ts";
import { metadataText, methodRecordKind, type PostRecord } from "./record.ts";

export function* renderMarkdownAnswer(page: AnswerPage) {
  yield `# ${formatTitle(page.job)}\n\n`;
  yield `${countSentence(page)} ${completenessSentences(page)}${liveSentence(page)}\n\n`;
  for (const [index, post] of page.posts.entries()) {
    yield `${renderItem(post, index + 1, page.fields)}\n\n`;
  }
  yield warningLines(page);
  yield closingLines(page);
}

function formatTitle({ request: { method }, canonicalQuery }: AnswerPage["job"]): string {
  const name = isSearch(method) ? "Search" : method;
  return canonicalQuery === "" ? name : `${name}: ${codeSpan(canonicalQuery)}`;
}

const nouns: Readonly<Record<RecordKind, readonly [one: string, several: string]>> = {
  post: ["post", "posts"],
  profile: ["account", "accounts"],
  trend: ["trend", "trends"],
  space: ["space", "spaces"],
};

function countSentence({ job, posts, nextCursor }: AnswerPage): string {
  const { method } = job.request;
  const [singular, plural] = nouns[methodRecordKind(method)];
  if (posts.length === 1) return `1 ${singular}.`;
  const order = isSearch(method) ? "newest first" : "in the platform's order";
  if (posts.length > 1) return `${posts.length} ${plural}, ${order}.`;
  return nextCursor === null
    ? `No ${singular} was found.`
    : `No ${singular} has been found so far.`;
}

function completenessSentences(page: AnswerPage): string {
  const { job, result } = page;
  const isFetched =
    !isSearch(job.request.method) && result.sources.some(({ via }) => via !== "archive");
  return isFetched ? fetchSentence(page) : coverageSentences(page);
}

function fetchSentence({ posts, result, nextCursor }: AnswerPage): string {
  if (!result.complete) {
    return posts.length === 0
      ? "There may be some: the search ended early."
      : "There may be more: the search ended early.";
  }
  return nextCursor === null ? "The platform has no more." : "There is more.";
}

/** Names platforms whose posts the archive alone would not return. */
function liveSentence({ job, result }: AnswerPage): string {
  if (!isSearch(job.request.method)) return "";
  const liveSources = result.sources.filter(({ via }) => via !== "archive");
  const names = [...new Set(liveSources.map(({ platform }) => platform))];
  return names.length === 0 ? "" : ` Answered live by ${names.join(" and ")}.`;
}

function coverageSentences({ posts, result }: AnswerPage): string {
  const { coverage, complete } = result;
  const window = windowText(coverage);
  if (!coverage.complete) {
    const doubt = posts.length === 0 ? "There may be some" : "There may be more";
    return `${doubt}: coverage is incomplete ${window}. Missing: ${gapList(coverage)}.`;
  }
  if (!complete) return `The search timed out before covering all posts ${window}.`;
  return posts.length === 0
    ? `There are none: coverage is complete ${window}.`
    : `Coverage is complete ${window}.`;
}

function windowText({ fromMs, toMs }: Pick<Coverage, "fromMs" | "toMs">): string {
  return fromMs === null ? `before ${iso(toMs)}` : `from ${iso(fromMs)} to ${iso(toMs)}`;
}

const maxGaps = 10;

function gapList({ gaps }: Coverage): string {
  const gapTexts = gaps.slice(-maxGaps).map(windowText);
  const unlisted = gaps.length - gapTexts.length;
  return unlisted === 0 ? gapTexts.join("; ") : `${unlisted} earlier gaps; ${gapTexts.join("; ")}`;
}

function renderItem(post: AnswerPost, number: number, fields: AnswerPage["fields"]): string {
  const marker = `${number}. `;
  const indent = " ".repeat(marker.length);
  const parts = [[marker + formatHead(post)]];
  if (fields === null || fields.includes("Content")) parts.push(textLines(post, indent));
  const otherFields = (fields ?? []).filter((field) => field !== "Content");
  parts.push(otherFields.map((field) => `${indent}- ${field}: ${valueSpan(post, field)}`));
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

function formatHead({ record }: AnswerPost): string {
  const address = metadataText(record, "url") ?? metadataText(record, "uri");
  return [
    ...recordLead(record),
    metadataText(record, "platform") ?? "unknown platform",
    address === null ? "no link" : link(address),
  ].join(" · ");
}

function recordLead(record: PostRecord): string[] {
  const author = metadataText(record, "username");
  const time = metadataText(record, "created_at");
  switch (metadataText(record, "kind")) {
    case "trend":
      return [`rank ${codeSpan(record.ID)}`];
    case "space":
      return [codeSpan(metadataText(record, "state") ?? "space"), time ?? "unknown time"];
    case "profile":
      return [
        author ? codeSpan(`@${author}`) : codeSpan(record.ID),
        ...getNames(metadataText(record, "author")),
        ...(time === null ? [] : [`since ${time}`]),
      ];
    default:
      return [author ? codeSpan(`@${author}`) : "unknown author", time ?? "unknown time"];
  }
}

const getNames = (name: string | null): string[] => (name ? [codeSpan(name)] : []);

function textLines({ record, shortenedFrom }: AnswerPost, indent: string): string[] {
  const quote = quoteLines(record.Content, indent);
  if (quote.length === 0) return [`${indent}(no text)`];
  if (shortenedFrom === null) return quote;
  return [...quote, "", `${indent}(shortened: the text has ${shortenedFrom} characters)`];
}

function valueSpan({ record }: AnswerPost, field: string): string {
  const value = readField(record, field);
  return codeSpan(typeof value === "string" ? value : JSON.stringify(value));
}

function warningLines(page: AnswerPage): string {
  const warnings = pageWarnings(page);
  if (warnings.length === 0) return "";
  const lines = warnings.map(({ code, message, hint }) => {
    const advice = hint === undefined ? "" : ` (${hint})`;
    return `- ${codeSpan(code)}: ${escapeInline(message + advice)}\n`;
  });
  return `Warnings:\n\n${lines.join("")}\n`;
}

function closingLines({ job, result, omitted, isContinued, nextCursor }: AnswerPage): string {
  const lines: string[] = [];
  if (omitted > 0) {
    const posts = omitted === 1 ? "1 more post was" : `${omitted} more posts were`;
    const continuation = isContinued ? "; the next page begins with them" : "";
    lines.push(`${posts} omitted because of max_chars${continuation}.`);
  }
  const isLast = nextCursor === null && (result.next ?? result.nextPosition ?? null) === null;
  if (isLast) lines.push("This is the last page.");
  if (nextCursor !== null) {
    lines.push(`Next page: the same search with next_cursor ${codeSpan(nextCursor)}.`);
  }
  if (job.uuid !== null) lines.push(`Full records: the result of job ${codeSpan(job.uuid)}.`);
  return `${lines.join("\n")}\n`;
}
