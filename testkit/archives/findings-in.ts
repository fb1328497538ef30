import { check } from "../../src/archive/maintenance/check.ts";
import type { Finding } from "../../src/archive/maintenance/findings.ts";

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
