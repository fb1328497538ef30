import { readFileSync } from "node:fs";

/** The problem that the page of a code shows; null where the page has none. */
export function shownProblem(code: string): Record<string, unknown> | null {
  const page = readFileSync(new URL(`../../docs/errors/${code}.md`, import.meta.url), "utf8");
  const block = /## Example\n[\s\S]*?```json\n([\s\S]*?)\n```/.exec(page)?.[1];
  return block === undefined ? null : JSON.parse(block);
}
