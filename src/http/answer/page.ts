import type { Archive, Position } from "../../archive/archive.ts";
import type { Job, JobResult } from "../../jobs/job.ts";
import { startTurns } from "../../lib/turns.ts";
import { recordsOf } from "../../platforms/fill-in.ts";
import type { AnswerItem, SourceWarning } from "../../platforms/source.ts";
import type { HttpContext } from "../context.ts";
import { cursorAfter } from "../next-cursor.ts";
import { allowanceOf } from "./budget.ts";
import { selectorOf } from "./fields.ts";
import { type PostRecord, textOf } from "./record.ts";
import { characterCount, shortened } from "./shorten.ts";

/** How the posts of an answer are wanted: null where nothing was said. */
export type Presentation = {
  fields: readonly string[] | null;
  /** Characters that all texts together may take. */
  maxChars: number | null;
};

export type AnswerPost = {
  record: PostRecord;
  /** The record as JSON, or what was asked for of it. */
  json: string;
  /** Characters of the whole text, where only its beginning is given. */
  shortenedFrom: number | null;
};

/** The result of a job as one answer gives it. */
export type AnswerPage = {
  job: Job;
  result: JobResult;
  posts: readonly AnswerPost[];
  fields: readonly string[] | null;
  /** Posts at the end of the result that the budget has no room for; `nextCursor` continues with them. */
  omitted: number;
  nextCursor: string | null;
};

/** The remarks known at submission and those of the result. */
export function warningsOf({ job, result }: AnswerPage): readonly SourceWarning[] {
  return [...job.warnings, ...result.warnings];
}

/**
 * Reads the posts of a finished job and brings them into the form that was asked for: the texts within the budget, the
 * fields selected. The event loop is given away in between.
 */
export async function pageOf(
  context: Pick<HttpContext, "cursorKey" | "clock"> & { archive: Pick<Archive, "records"> },
  job: Job,
  result: JobResult,
  { fields, maxChars }: Presentation,
): Promise<AnswerPage> {
  const texts = await recordsOf(context.archive, result.items);
  const nextTurn = startTurns(context.clock);
  const isBudgeted = maxChars !== null && (fields === null || fields.includes("Content"));
  const records: PostRecord[] = [];
  const lengths: number[] = [];
  for (const text of texts) {
    const record: PostRecord = JSON.parse(text);
    records.push(record);
    if (isBudgeted) lengths.push(characterCount(record.Content));
    await nextTurn();
  }

  const allowance = isBudgeted
    ? allowanceOf(lengths, maxChars)
    : { posts: records.length, each: Number.POSITIVE_INFINITY };
  const select = fields === null ? null : selectorOf(fields);

  const posts: AnswerPost[] = [];
  for (const [index, whole] of records.slice(0, allowance.posts).entries()) {
    const length = lengths[index] ?? 0;
    const isShortened = length > allowance.each;
    const record = isShortened
      ? { ...whole, Content: shortened(whole.Content, allowance.each) }
      : whole;
    const stored = isShortened ? JSON.stringify(record) : (texts[index] ?? "");
    const json = select === null ? stored : JSON.stringify(select(record));
    posts.push({ record, json, shortenedFrom: isShortened ? length : null });
    await nextTurn();
  }

  const omitted = records.length - posts.length;
  const last = posts.at(-1);
  const after = omitted > 0 && last !== undefined ? positionOf(result, last.record) : result.next;
  return { job, result, posts, fields, omitted, nextCursor: cursorAfter(context, job, after) };
}

function positionOf(result: JobResult, record: PostRecord): Position | null {
  const platform = textOf(record, "platform");
  const isOf = (item: AnswerItem): item is Position =>
    String(item.id) === record.ID && (platform === null || item.platform === platform);
  return result.items.findLast(isOf) ?? null;
}
