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

export type RejectedFileOptions = {
  file: string;
  dataDir: string;
  /** How much of the file of an earlier run is kept; the rest is written anew. */
  keptBytes: number;
  /** When the run began, for a source that cannot be read again: each run has a file of its own. Null for any other. */
  runMs: number | null;
};

/**
 * The file lies beside the one imported as `<file>.rejected`; in `dataDir` where that folder cannot be written, and as
 * `stdin-<time>.rejected` for the standard input. A file of another run is never written over.
 */
export function createRejectedFile(options: RejectedFileOptions): RejectedFile {
  const { file, dataDir, keptBytes, runMs } = options;
  let handle: FileHandle | null = null;
  let path: string | null = null;
  let size = keptBytes;

  async function openFirst(): Promise<FileHandle> {
    const inDataDir = join(dataDir, file === "-" ? "stdin" : basename(file));
    const candidates = file === "-" ? [inDataDir] : [file, inDataDir];
    let fault: unknown = null;
    for (const candidate of candidates.flatMap(namesOf)) {
      try {
        const opened = await open(candidate, modeOf(), 0o600);
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

  function namesOf(place: string): string[] {
    if (runMs === null) return [`${place}.rejected`];
    const stamp = new Date(runMs).toISOString().replaceAll(":", "-");
    // Runs that began in the same millisecond take the next name.
    return Array.from(
      { length: mostRunsAtOnce },
      (_unused, index) => `${place}-${stamp}${index === 0 ? "" : `-${index + 1}`}.rejected`,
    );
  }

  function modeOf(): "wx" | "a" | "w" {
    if (runMs !== null) return "wx";
    return keptBytes > 0 ? "a" : "w";
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

const mostRunsAtOnce = 100;
const lineEnd = Buffer.from("\n");
