import type { AuthorSummary } from "../../ingest/backfill/backfill-author.ts";
import type { AuthorResult } from "../../ingest/backfill/backfill-authors.ts";
import { stripControls } from "../../lib/controls.ts";

export const roundedText = (value: number): string => Math.round(value).toLocaleString("en");

export function accountResultAsJson(result: AuthorResult): string {
  if ("error" in result) {
    const { code, message, retryable } = result.error;
    return `${JSON.stringify({ author: result.author, outcome: "failed", error: { code, message, retryable } })}\n`;
  }
  const { summary } = result;
  return `${JSON.stringify({
    author: result.author,
    did: summary.did,
    handle: summary.handle,
    outcome: summary.outcome,
    status: summary.status,
    by: summary.by,
    resumed: summary.resumed,
    posts: summary.posts,
    added: summary.inserted,
    updated: summary.updated,
    unchanged: summary.unchanged,
    deleted: summary.deleted,
    kept_out: summary.suppressed,
    bad_records: summary.badRecords,
    labels: summary.labels,
    deletions_sought: summary.checkedForDeletions,
    seconds: summary.seconds,
  })}\n`;
}

export function accountAsText(result: AuthorResult): string {
  const requestedName = stripControls(result.author);
  if ("error" in result) {
    const { message, hint } = result.error;
    return `${requestedName}: ${stripControls(message)}${hint === undefined ? "" : ` – ${hint}`}\n`;
  }
  const { summary } = result;
  const name = summary.handle === null ? requestedName : `${summary.handle} (${summary.did})`;
  if (summary.outcome === "inactive") {
    return `${name}: the account is ${summary.status}; its posts are hidden\n`;
  }
  const duration = ` in ${summary.seconds.toFixed(1)} s`;
  if (summary.outcome === "unchanged") {
    return `${name}: unchanged since the last backfill${duration}${labelsText(summary)}\n`;
  }
  return (
    `${name}: ${countText(summary.posts, "post")}, ${roundedText(summary.inserted)} added, ${roundedText(summary.updated)} updated, ` +
    `${roundedText(summary.deleted)} deleted${duration}${labelsText(summary)}${notesText(summary)}\n`
  );
}

const countText = (count: number, noun: string): string =>
  `${roundedText(count)} ${noun}${count === 1 ? "" : "s"}`;

function invalidRecordsText(records: number): string {
  if (records === 0) return "";
  return `${countText(records, "invalid record")}`;
}

const labelsText = ({ labels }: AuthorSummary): string =>
  labels === 0 ? "" : `, ${countText(labels, "label")}`;

function notesText(summary: AuthorSummary): string {
  const notes = [
    summary.resumed ? "resumed an earlier run" : "",
    summary.by === "listing" ? "its posts were listed instead of reading its repository" : "",
    invalidRecordsText(summary.badRecords),
    summary.checkedForDeletions ? "" : "deleted posts were not detected",
  ].filter((note) => note !== "");
  return notes.length === 0 ? "" : `; ${notes.join("; ")}`;
}
