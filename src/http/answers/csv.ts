import { stringify } from "csv-stringify/sync";
import type { RecordKind } from "../../remote/protocol/read-record.ts";
import { readField } from "./fields.ts";
import type { AnswerPage } from "./page.ts";
import { methodRecordKind } from "./record.ts";

export const defaultColumns: readonly string[] = [
  "ID",
  "Metadata.created_at",
  "Metadata.platform",
  "Metadata.username",
  "Metadata.author",
  "Content",
  "Metadata.url",
  "Metadata.lang",
  "Metadata.public_metrics.like_count",
  "Metadata.public_metrics.retweet_count",
  "Metadata.public_metrics.reply_count",
  "Metadata.public_metrics.quote_count",
];

const defaults: Readonly<Record<RecordKind, readonly string[]>> = {
  post: defaultColumns,
  profile: [
    "ID",
    "Metadata.created_at",
    "Metadata.platform",
    "Metadata.username",
    "Metadata.author",
    "Content",
    "Metadata.url",
    "Metadata.location",
    "Metadata.public_metrics.followers_count",
    "Metadata.public_metrics.following_count",
    "Metadata.public_metrics.tweet_count",
  ],
  trend: [
    "ID",
    "Metadata.created_at",
    "Metadata.platform",
    "Content",
    "Metadata.url",
    "Metadata.category",
    "Metadata.public_metrics.tweet_count",
  ],
  space: [
    "ID",
    "Metadata.created_at",
    "Metadata.platform",
    "Content",
    "Metadata.url",
    "Metadata.lang",
    "Metadata.state",
    "Metadata.started_at",
    "Metadata.public_metrics.participant_count",
  ],
};

const csvOptions = { record_delimiter: "windows", quote_record_delimiter: true } as const;

/** RFC 4180: a header row, then one row per record. */
export function* renderCsv({ job, posts, fields }: AnswerPage) {
  const columns = fields ?? defaults[methodRecordKind(job.request.method)];
  // A row with a single empty cell would be read as an empty line.
  const tableOptions = { ...csvOptions, quoted_empty: columns.length === 1 };
  yield stringify([columns], tableOptions);
  for (const { record } of posts) {
    yield stringify([columns.map((column) => readCell(readField(record, column)))], tableOptions);
  }
}

function readCell(value: unknown): string {
  if (value === null) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") return escapeFormula(value);
  const isTextList = Array.isArray(value) && value.every((item) => typeof item === "string");
  return escapeFormula(isTextList ? value.join(" ") : JSON.stringify(value));
}

/** Characters that start a formula in a spreadsheet (OWASP, CSV Injection). */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;

function escapeFormula(text: string): string {
  const wellFormed = text.toWellFormed().replaceAll("\0", "\ufffd");
  return formulaStart.test(wellFormed) ? `'${wellFormed}` : wellFormed;
}
