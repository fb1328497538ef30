import { preferredType } from "../answers/accept.ts";

/** Whether an `Accept` field prefers HTML, as those of browsers do; whoever takes anything, or names nothing, gets Markdown. */
export function acceptsHtml(accept: string | undefined): boolean {
  return preferredType(accept, ["text/markdown", "text/html"]) === "text/html";
}
