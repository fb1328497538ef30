import { readFile } from "node:fs/promises";

/**
 * The Link header of each dashboard page, by name (web/page-files.ts): browsers load its files with the app. Empty without a
 * build.
 */
export async function pageLinks(folder: URL): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(new URL("page-files.json", folder), "utf8").catch(() => "{}");
  const pages: Readonly<Record<string, readonly string[]>> = JSON.parse(text);
  return new Map(
    Object.entries(pages).map(([name, files]) => [name, files.map(linkTo).join(", ")]),
  );
}

/**
 * The request mode is that of `import()`, or of style sheets that Vite adds; otherwise files are
 * loaded twice.
 */
function linkTo(file: string): string {
  const relation = file.endsWith(".css") ? "preload; as=style; crossorigin" : "modulepreload";
  return `</dashboard/${file}>; rel=${relation}; fetchpriority=low`;
}
