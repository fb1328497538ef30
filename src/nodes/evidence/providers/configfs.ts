import { mkdtemp, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../../lib/errors.ts";
import type { EvidenceProvider } from "../evidence.ts";
import { evidenceUnavailable } from "./unavailable.ts";

/** Where Linux (6.7 and later) lets root make quotes. */
export const configfsFolder = "/sys/kernel/config/tsm/report";

/** Making a folder makes an entry, whose files the kernel fills. */
type ReportFiles = {
  mkdtemp(prefix: string): Promise<string>;
  readFile(path: string): Promise<Buffer>;
  writeFile(path: string, bytes: Uint8Array): Promise<void>;
  rmdir(path: string): Promise<void>;
};

/**
 * Quotes from the kernel of any TDX machine. It keeps no log of what it has measured: the policy has to name RTMR3 of the image.
 */
export function configfsProvider(
  base = configfsFolder,
  fileSystem: ReportFiles = { mkdtemp, readFile, rmdir, writeFile },
): EvidenceProvider {
  return {
    kind: "tdx",
    evidenceFor: async (reportData) => {
      try {
        const quote = await makeQuote(base, reportData, fileSystem);
        return { quote: quote.toString("hex"), event_log: null, vm_config: null };
      } catch (thrown) {
        const reason =
          thrown instanceof Error && "code" in thrown ? String(thrown.code) : messageOf(thrown);
        throw evidenceUnavailable(`the kernel gives no quote: ${reason}`, hint);
      }
    },
  };
}

async function makeQuote(
  base: string,
  reportData: Uint8Array,
  files: ReportFiles,
): Promise<Buffer> {
  const entry = await files.mkdtemp(join(base, "earshot-"));
  const read = async (name: string) => String(await files.readFile(join(entry, name))).trim();
  try {
    const provider = await read("provider");
    if (provider !== "tdx_guest") throw new Error(`it is a machine of ${provider}, and not of TDX`);
    const writes = Number(await read("generation"));
    await files.writeFile(join(entry, "inblob"), reportData);
    const quote = await files.readFile(join(entry, "outblob"));
    if (Number(await read("generation")) !== writes + 1) {
      throw new Error("another process wrote to the same entry");
    }
    return quote;
  } finally {
    await files.rmdir(entry).catch(() => {});
  }
}

const hint = `run the node as root on a TDX machine with ${configfsFolder} mounted`;
