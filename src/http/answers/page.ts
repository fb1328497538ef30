import type { Archive, Position } from "../../archive/archive.ts";
import type { Job, JobResult } from "../../jobs/job.ts";
import { startSlices } from "../../lib/slices.ts";
import { isSearch } from "../../platforms/methods.ts";
import { isArchived, type SourceWarning } from "../../platforms/source.ts";
import { uriHash } from "../../posts/ids.ts";
import { withDamage } from "../../search/damage.ts";
import { recordsOf } from "../../search/fill-in.ts";
import type { HttpContext } from "../context.ts";
import { allowanceOf } from "./budget.ts";
import { selectorOf } from "./fields.ts";
import { jobWarnings } from "./job-warnings.ts";
import { cursorAfter, cursorOf } from "./next-cursor.ts";
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
  /** Posts at the end of the result that the budget has no room for. */
  omitted: number;
  /** Whether `nextCursor` continues with them: no cursor leads into the page of a platform. */
  isContinued: boolean;
  nextCursor: string | null;
};

/** The remarks on a job and its result, and on what of it has no room and no cursor leads to. */
export function warningsOf({
  job,
  result,
  omitted,
  isContinued,
}: AnswerPage): readonly SourceWarning[] {
  const warnings = jobWarnings({ ...job, result });
  return omitted === 0 || isContinued ? warnings : [...warnings, leftOut(job, omitted)];
}

const leftOut = ({ uuid }: Job, records: number): SourceWarning => ({
  code: "left_out",
  message: `${records} records have no room in max_chars, and next_cursor goes on behind them`,
  hint: `fetch the result of job ${uuid} for all of them, or send more max_chars`,
});

/**
 * Reads the posts of a finished job, unless they are given, and brings them into the form that was asked for: the texts within the budget, the
 * fields selected. The event loop is given away in between.
 */
export async function pageOf(
  context: Pick<HttpContext, "cursorKey" | "clock"> & {
    archive: Pick<Archive, "records" | "withheld">;
  },
  job: Job,
  found: JobResult,
  { fields, maxChars }: Presentation,
  given: readonly string[] | null = null,
): Promise<AnswerPage> {
  const { records: texts, damage } =
    given === null ? await recordsOf(context.archive, found.items) : { records: given, damage: [] };
  const result = withDamage(found, damage);
  const nextTurn = startSlices(context.clock);
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
  const after =
    omitted > 0 && last !== undefined ? positionOf(job.request, result, last.record) : null;
  const nextCursor =
    after === null ? cursorOf(context, { ...job, result }) : cursorAfter(context, job, after);
  return { job, result, posts, fields, omitted, isContinued: after !== null, nextCursor };
}

/** The place of a record from which a search can go on; null for what a method has fetched from a platform. */
function positionOf(
  { method }: Job["request"],
  { items }: JobResult,
  record: PostRecord,
): Position | null {
  const platform = textOf(record, "platform");
  const item = items.findLast(
    (one) => String(one.id) === record.ID && (platform === null || one.platform === platform),
  );
  if (item === undefined || item.id === null) return null;
  if (!isSearch(method) && !isArchived(item)) return null;
  const uri = textOf(record, "uri");
  const order = uri === null || item.platform === "x" ? {} : { uriHash: uriHash(uri) };
  return { platform: item.platform, id: item.id, ...order };
}
