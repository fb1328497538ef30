import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createMemoryArchive } from "../../../../testkit/archives/memory-archive.ts";
import { systemClock } from "../../../lib/clock.ts";
import type { Platform, Post } from "../../../posts/post.ts";
import { type ImportRequest, importFile } from "../import-file.ts";
import { defaultImportLimits } from "../settings.ts";
import type { ImportFormat } from "./format.ts";

export function createImportFolder() {
  const folder = mkdtempSync(join(tmpdir(), "earshot-formats-"));
  const archive = createMemoryArchive();
  const rejections: string[] = [];
  return {
    archive,
    rejections,
    posts: (): Post[] => [...archive.posts.values()],
    file(name: string, content: string | Uint8Array): string {
      const path = join(folder, name);
      writeFileSync(path, content);
      utimesSync(path, 1_700_000_000, 1_700_000_000);
      return path;
    },
    import: (
      file: string,
      platform: Platform,
      format: ImportFormat,
      overrides: Partial<ImportRequest> = {},
    ) =>
      importFile({
        archive,
        analysis: archive.analysis,
        clock: systemClock,
        file,
        standardInput: Readable.from([]),
        platform,
        format,
        dataDir: folder,
        covers: null,
        onBadLine: "reject",
        limits: defaultImportLimits,
        onRejected: ({ line, reason }) => rejections.push(`${line}: ${reason}`),
        ...overrides,
      }),
    rejected: (file: string) => readFileSync(`${file}.rejected`, "utf8"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export type ImportFolder = ReturnType<typeof createImportFolder>;
