import { preferredType } from "../answers/accept.ts";

/** True for browsers; a wildcard or no header means Markdown. */
export function acceptsHtml(accept: string | undefined): boolean {
  return preferredType(accept, ["text/markdown", "text/html"]) === "text/html";
}
