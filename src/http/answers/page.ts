import type { Archive, Position } from "../../archive/archive.ts";
import type { Job, JobResult } from "../../jobs/job.ts";
import { startSlices } from "../../lib/slices.ts";
import { isSearch } from "../../platforms/methods.ts";
import { isArchived, type SourceWarning } from "../../platforms/source.ts";
import { uriHash } from "../../posts/ids.ts";
import { readRecords } from "../../search/merge/answer-records.ts";
import { withDamage } from "../../search/merge/damage.ts";
import type { HttpContext } from "../context.ts";
import { computeAllowance } from "./budget.ts";
import { fieldSelector } from "./fields.ts";
import { jobWarnings } from "./job-answer.ts";
import { cursorAfter, nextPageCursor } from "./next-cursor.ts";
import { metadataText, type PostRecord } from "./record.ts";
import { characterCount, shortenText } from "./shorten.ts";

/** Members are null unless requested. */
export type Presentation = {
  fields: readonly string[] | null;
  /** Maximum length of all texts, in code points. */
  maxChars: number | null;
};

export type AnswerPost = {
  record: PostRecord;
  json: string;
  /** Original length; null if not shortened. */
  shortenedFrom: number | null;
};

/** `uuid` is null for a search without a job. */
type AnsweredJob = Pick<Job, "state" | "canonicalQuery" | "warnings"> & {
  uuid: string | null;
  request: Pick<Job["request"], "method">;
};

export type AnswerPage = {
  job: AnsweredJob;
  result: JobResult;
  posts: readonly AnswerPost[];
  fields: readonly string[] | null;
  omitted: number;
  /** Whether `nextCursor` starts at the omitted posts, which a platform's page token cannot. */
  isContinued: boolean;
  nextCursor: string | null;
};

export function pageWarnings({
  job,
  result,
  omitted,
  isContinued,
  nextCursor,
}: AnswerPage): readonly SourceWarning[] {
  const warnings = jobWarnings({ ...job, result });
  if (omitted === 0 || isContinued) return warnings;
  return [...warnings, recordsOmitted(job, omitted, nextCursor !== null)];
}

const recordsOmitted = (
  { uuid }: AnsweredJob,
  count: number,
  hasNextPage: boolean,
): SourceWarning => ({
  code: "left_out",
  message: `max_chars omitted ${count} ${count === 1 ? "record" : "records"}${hasNextPage ? ", and next_cursor continues after them" : ""}`,
  hint: `fetch the result of job ${uuid} for all records, or raise max_chars`,
});

export async function makeAnswerPage(
  context: Pick<HttpContext, "cursorKey" | "clock"> & {
    archive: Pick<Archive, "records" | "withheld">;
  },
  job: Job,
  storedResult: JobResult,
  { fields, maxChars }: Presentation,
  knownRecords: readonly string[] | null = null,
): Promise<AnswerPage> {
  const { records: texts, damage } =
    knownRecords === null
      ? await readRecords(context.archive, storedResult.items)
      : { records: knownRecords, damage: [] };
  const result = withDamage(storedResult, damage);
  const yieldIfDue = startSlices(context.clock);
  const isBudgeted = maxChars !== null && (fields === null || fields.includes("Content"));
  const records: PostRecord[] = [];
  const lengths: number[] = [];
  for (const text of texts) {
    const record: PostRecord = JSON.parse(text);
    records.push(record);
    if (isBudgeted) lengths.push(characterCount(record.Content));
    await yieldIfDue();
  }

  const allowance = isBudgeted
    ? computeAllowance(lengths, maxChars)
    : { posts: records.length, perPost: Number.POSITIVE_INFINITY };
  const select = fields === null ? null : fieldSelector(fields);

  const posts: AnswerPost[] = [];
  for (const [index, fullRecord] of records.slice(0, allowance.posts).entries()) {
    const length = lengths[index] ?? 0;
    const isShortened = length > allowance.perPost;
    const record = isShortened
      ? { ...fullRecord, Content: shortenText(fullRecord.Content, allowance.perPost) }
      : fullRecord;
    const fullJson = isShortened ? JSON.stringify(record) : (texts[index] ?? "");
    const json = select === null ? fullJson : JSON.stringify(select(record));
    posts.push({ record, json, shortenedFrom: isShortened ? length : null });
    await yieldIfDue();
  }

  const omitted = records.length - posts.length;
  const last = posts.at(-1);
  const after =
    omitted > 0 && last !== undefined ? jobPosition(job.request, result, last.record) : null;
  const nextCursor =
    after === null ? nextPageCursor(context, { ...job, result }) : cursorAfter(context, job, after);
  return { job, result, posts, fields, omitted, isContinued: after !== null, nextCursor };
}

function jobPosition(
  { method }: Job["request"],
  { items }: JobResult,
  record: PostRecord,
): Position | null {
  const platform = metadataText(record, "platform");
  const item = items.findLast(
    ({ id, platform: other }) =>
      String(id) === record.ID && (platform === null || other === platform),
  );
  if (item === undefined || item.id === null) return null;
  if (!isSearch(method) && !isArchived(item)) return null;
  const uri = metadataText(record, "uri");
  const order = uri === null || item.platform === "x" ? {} : { uriHash: uriHash(uri) };
  return { platform: item.platform, id: item.id, ...order };
}
