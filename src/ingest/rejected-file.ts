import { type FileHandle, open } from "node:fs/promises";
import { basename, join } from "node:path";

/** The lines of an import that were not taken, as they were, to be mended and imported. Made when the first one comes. */
export type RejectedFile = {
  /** Where it is; null while there is none. */
  path(): string | null;
  /** Its length in bytes. */
  size(): number;
  append(lines: readonly Buffer[]): Promise<void>;
  close(): Promise<void>;
};

/**
 * The file lies beside the one imported as `<file>.rejected`; in `dataDir` for the standard input, and where that folder
 * cannot be written. The first `keptBytes` of an earlier one are kept, the rest is written anew.
 */
export function createRejectedFile(file: string, dataDir: string, keptBytes: number): RejectedFile {
  let handle: FileHandle | null = null;
  let path: string | null = null;
  let size = keptBytes;

  async function openFirst(): Promise<FileHandle> {
    const inDataDir = join(dataDir, `${file === "-" ? "stdin" : basename(file)}.rejected`);
    const candidates = file === "-" ? [inDataDir] : [`${file}.rejected`, inDataDir];
    let fault: unknown = null;
    for (const candidate of candidates) {
      try {
        const opened = await open(candidate, keptBytes > 0 ? "a" : "w", 0o600);
        path = candidate;
        size = Math.min(keptBytes, (await opened.stat()).size);
        await opened.truncate(size);
        return opened;
      } catch (thrown) {
        fault = thrown;
      }
    }
    throw fault;
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

const lineEnd = Buffer.from("\n");
