import { isDiskError } from "../db/result-codes.ts";

export type RunnerLog = { warn(fields: Record<string, unknown>, message: string): void };

export type DiskAwareLog = {
  warn(thrown: unknown, fields: Record<string, unknown>, message: string): void;
  recordSuccess(): void;
};

/** Logs only the first of consecutive disk errors. */
export function createDiskAwareLog(log: RunnerLog): DiskAwareLog {
  let isFailing = false;
  return {
    warn: (thrown, fields, message) => {
      const isFromDisk = isDiskError(thrown);
      if (!isFromDisk || !isFailing) log.warn(fields, message);
      isFailing ||= isFromDisk;
    },
    recordSuccess: () => {
      isFailing = false;
    },
  };
}
