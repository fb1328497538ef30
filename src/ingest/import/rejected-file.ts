import { type FileHandle, open } from "node:fs/promises";
import { basename, join } from "node:path";
import { isoTime } from "../../lib/iso-time.ts";

export type RejectedFile = {
  path(): string | null;
  size(): number;
  append(lines: readonly Buffer[]): Promise<void>;
  close(): Promise<void>;
};

export type RejectedFileOptions = {
  file: string;
  dataDir: string;
  preservedBytes: number;
  runMs: number | null;
};

/**
 * `<file>.rejected` next to the imported file, or in `dataDir` if that folder is not writable; for
 * standard input `stdin-<time>.rejected` in `dataDir`.
 */
export function createRejectedFile(options: RejectedFileOptions): RejectedFile {
  const { file, dataDir, preservedBytes, runMs } = options;
  let handle: FileHandle | null = null;
  let path: string | null = null;
  let size = preservedBytes;

  async function openFirst(): Promise<FileHandle> {
    const inDataDir = join(dataDir, file === "-" ? "stdin" : basename(file));
    const candidates = file === "-" ? [inDataDir] : [file, inDataDir];
    let error: unknown = null;
    for (const candidate of candidates.flatMap(listNames)) {
      try {
        const opened = await open(candidate, getMode(), 0o600);
        path = candidate;
        size = Math.min(preservedBytes, (await opened.stat()).size);
        await opened.truncate(size);
        return opened;
      } catch (thrown) {
        error = thrown;
      }
    }
    throw error;
  }

  function listNames(basePath: string): string[] {
    if (runMs === null) return [`${basePath}.rejected`];
    const stamp = isoTime(runMs).replaceAll(":", "-");
    return Array.from(
      { length: maxRunsAtOnce },
      (_unused, index) => `${basePath}-${stamp}${index === 0 ? "" : `-${index + 1}`}.rejected`,
    );
  }

  function getMode(): "wx" | "a" | "w" {
    if (runMs !== null) return "wx";
    return preservedBytes > 0 ? "a" : "w";
  }

  async function append(lines: readonly Buffer[]): Promise<void> {
    if (lines.length === 0) return;
    handle ??= await openFirst();
    const bytes = Buffer.concat(lines.flatMap((line) => [line, lineEnd]));
    await handle.appendFile(bytes);
    size += bytes.length;
  }

  return {
    path: () => path,
    size: () => size,
    append,
    close: async () => {
      await handle?.close();
    },
  };
}

const maxRunsAtOnce = 100;
const lineEnd = Buffer.from("\n");
