import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildRaw } from "./raw-fts5.ts";
import { scaledPosts } from "./scale-posts.ts";

export type ScaleFolder = {
  /** Written by `earshot import`. */
  dataDir: string;
  /** The unsealed archive, and a sealed copy of it. */
  unsealedDir: string;
  sealedDir: string;
  rawPath: string;
  buildRawOnce(): Promise<void>;
  readFigures(suffix: string): Record<string, unknown>;
  saveFigures(suffix: string, part: string, figures: unknown): void;
};

export function scaleFolder(folder: string, posts: number): ScaleFolder {
  const size = posts >= 1e6 ? `${posts / 1e6}m` : `${posts / 1e3}k`;
  const path = join(folder, size);
  mkdirSync(path, { recursive: true });
  const rawPath = join(path, "raw.db");
  const figuresPath = (suffix: string): string => join(folder, `${size}${suffix}.json`);

  async function buildRawOnce(): Promise<void> {
    if (existsSync(`${rawPath}.done`)) return;
    console.log("building the raw FTS5 table …");
    buildRaw(rawPath, (await scaledPosts(posts)).records());
    writeFileSync(`${rawPath}.done`, "");
  }

  function readFigures(suffix: string): Record<string, unknown> {
    const path = figuresPath(suffix);
    return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  }

  return {
    dataDir: join(path, "data"),
    unsealedDir: join(path, "unsealed"),
    sealedDir: join(path, "sealed"),
    rawPath,
    buildRawOnce,
    readFigures,
    saveFigures(suffix, part, partFigures) {
      const allFigures = { ...readFigures(suffix), [part]: partFigures };
      writeFileSync(figuresPath(suffix), `${JSON.stringify(allFigures, null, 2)}\n`);
    },
  };
}
