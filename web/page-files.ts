import type { Plugin, Rolldown } from "vite";

/**
 * Writes page-files.json: each page's files that app.html does not name, so that browsers load them
 * with the app instead of after it. src/pages/NAME/page.tsx and src/pages/operator/NAME-page.tsx
 * are the page /NAME.
 */
export function pageFiles(): Plugin {
  return {
    name: "page-files",
    enforce: "post",
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((each) => each.type === "chunk");
      const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
      const entry = chunks.find(({ isEntry }) => isEntry);
      const loaded = new Set(entry === undefined ? [] : chunkFiles(entry, byName));
      const pages = chunks.flatMap((chunk): [string, string[]][] => {
        const name = /\/src\/pages\/(?:operator\/([a-z]+)-|([a-z]+)\/)page\.tsx$/.exec(
          chunk.facadeModuleId ?? "",
        );
        if (name === null) return [];
        const files = chunkFiles(chunk, byName).filter((file) => !loaded.has(file));
        return [[name[1] ?? name[2] ?? "", files]];
      });
      const source = JSON.stringify(Object.fromEntries(pages));
      this.emitFile({ type: "asset", fileName: "page-files.json", source });
    },
  };
}

/** Includes the files that it imports, with their styles. */
function chunkFiles(
  chunk: Rolldown.OutputChunk,
  byName: ReadonlyMap<string, Rolldown.OutputChunk>,
): string[] {
  const files = new Set<string>();
  const add = (outputChunk: Rolldown.OutputChunk) => {
    if (files.has(outputChunk.fileName)) return;
    files.add(outputChunk.fileName);
    for (const style of outputChunk.viteMetadata?.importedCss ?? []) files.add(style);
    for (const name of outputChunk.imports) {
      const imported = byName.get(name);
      if (imported !== undefined) add(imported);
    }
  };
  add(chunk);
  return [...files];
}
