import { check } from "../../src/archive/care/check.ts";
import type { Finding } from "../../src/archive/care/findings.ts";

/** What a full check of an archive's folder finds. */
export async function findingsIn(folder: string): Promise<readonly Finding[]> {
  const report = await check({
    folder,
    isFull: true,
    sampleRows: 100,
    onProgress: () => {},
    signal: new AbortController().signal,
  });
  return report.findings;
}
