import { request } from "../../api.ts";
import type { RepeatedRequest } from "./search.ts";

export type SaveFormat = "ndjson" | "csv" | "markdown";

export const saveFormats = {
  ndjson: { type: "application/x-ndjson", extension: "ndjson", title: "Download NDJSON" },
  csv: { type: "text/csv", extension: "csv", title: "Download CSV" },
  markdown: { type: "text/markdown", extension: "md", title: "Download Markdown" },
} as const;

/** All loaded pages in one file, as the server writes them. Costs no search. Errors: ApiProblem. */
export async function resultsAs(
  format: SaveFormat,
  repeats: readonly RepeatedRequest[],
): Promise<Blob> {
  const { type } = saveFormats[format];
  const texts: string[] = [];
  for (const { path, body, key } of repeats) {
    const response = await request(path, {
      method: "POST",
      body,
      headers: { "idempotency-key": key, accept: type },
    });
    texts.push(await response.text());
  }
  return new Blob([joinPages(format, texts)], { type });
}

/** Only the first CSV page keeps its header row. */
export function joinPages(format: SaveFormat, texts: readonly string[]): string {
  if (format !== "csv") return texts.join(format === "markdown" ? "\n" : "");
  return texts
    .map((text, index) => (index === 0 ? text : text.slice(text.indexOf("\n") + 1)))
    .join("");
}
