/**
 * Text of strangers within Markdown (CommonMark): whatever it holds, it stays where it was put and does nothing. Texts stand
 * as code in a quote, each line of it marked, so that there is no end of it that a text could write; names and values stand in
 * code spans; the few sentences that repeat something of a request are escaped.
 */

/** The lines of a quote with this text, each after `indent`; none when the text has nothing to read. */
export function quoteLines(text: string, indent: string): string[] {
  const lines = visible(text.replaceAll(lineBreak, "\n"));
  if (lines.trim() === "") return [];
  return lines.split("\n").map((line) => (line === "" ? `${indent}>` : `${indent}>     ${line}`));
}

/** A code span with this text, in one line. */
export function codeSpan(text: string): string {
  const line = visible(text.replaceAll(lineBreak, " ")).replaceAll(turnsDirection, "\ufffd").trim();
  if (line === "") return "` `";
  let longestRun = 0;
  for (const [run] of line.matchAll(/`+/g)) longestRun = Math.max(longestRun, run.length);
  const fence = "`".repeat(longestRun + 1);
  const padding = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return fence + padding + line + padding + fence;
}

/** A sentence in one line, in which nothing is markup. */
export function sentence(text: string): string {
  const line = visible(text.replaceAll(lineBreak, " ")).replaceAll(turnsDirection, "\ufffd");
  return line.replaceAll(/[\\`*_[\]<>&~|$#!]/g, "\\$&");
}

/** An address as a link; one that is not of the web, and could do something, as a code span. */
export function link(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  const isOfWeb = url !== null && (url.protocol === "https:" || url.protocol === "http:");
  if (!isOfWeb || /[<>\s]/.test(url.href)) return codeSpan(address);
  return `<${url.href}>`;
}

/** What ends a line for some reader. */
const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;

/** Controls that could change the order in which the rest of a line is shown. */
const turnsDirection = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** Without half characters and control characters, which a terminal obeys and Markdown does not have; a tab is four spaces. */
function visible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll("\t", "    ")
    .replaceAll(/(?!\n)\p{Cc}/gu, "\ufffd");
}
