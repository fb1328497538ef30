/**
 * Makes untrusted text inert in Markdown (CommonMark): texts become indented code in a block quote;
 * names and values become code spans.
 */

export function quoteLines(text: string, indent: string): string[] {
  const lines = replaceControls(text.replaceAll(lineBreak, "\n"));
  if (lines.trim() === "") return [];
  return lines.split("\n").map((line) => (line === "" ? `${indent}>` : `${indent}>     ${line}`));
}

export function codeSpan(text: string): string {
  const line = replaceControls(text.replaceAll(lineBreak, " "))
    .replaceAll(directionControls, "\ufffd")
    .trim();
  if (line === "") return "` `";
  let longestRun = 0;
  for (const [run] of line.matchAll(/`+/g)) longestRun = Math.max(longestRun, run.length);
  const fence = "`".repeat(longestRun + 1);
  const padding = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return fence + padding + line + padding + fence;
}

export function escapeInline(text: string): string {
  const line = replaceControls(text.replaceAll(lineBreak, " ")).replaceAll(
    directionControls,
    "\ufffd",
  );
  return line.replaceAll(/[\\`*_[\]<>&~|$#!]/g, "\\$&");
}

/** Only http(s) URLs become links, because others could trigger actions. */
export function link(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  const isHttp = url !== null && (url.protocol === "https:" || url.protocol === "http:");
  if (!isHttp || /[<>\s]/.test(url.href)) return codeSpan(address);
  return `<${url.href}>`;
}

const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;

/** Characters that reorder a line. */
const directionControls = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** Replaces control characters, which terminals interpret. */
function replaceControls(text: string): string {
  return text
    .toWellFormed()
    .replaceAll("\t", "    ")
    .replaceAll(/(?!\n)\p{Cc}/gu, "\ufffd");
}
