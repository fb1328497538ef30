import { readFile } from "node:fs/promises";

/** Link headers by page name (web/page-files.ts): browsers load a page's files with the app. Empty without a build. */
export async function pageLinks(folder: URL): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(new URL("page-files.json", folder), "utf8").catch(() => "{}");
  const pages: Readonly<Record<string, readonly string[]>> = JSON.parse(text);
  return new Map(
    Object.entries(pages).map(([name, files]) => [name, files.map(linkTo).join(", ")]),
  );
}

/** In the request mode of `import()` or of Vite's style sheets; otherwise files are loaded twice. */
function linkTo(file: string): string {
  const relation = file.endsWith(".css") ? "preload; as=style; crossorigin" : "modulepreload";
  return `</dashboard/${file}>; rel=${relation}; fetchpriority=low`;
}
