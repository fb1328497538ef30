import { isDiskError } from "../db/disk-error.ts";

export type RunnerLog = { warn(fields: Record<string, unknown>, message: string): void };

export type DiskAwareLog = {
  warn(thrown: unknown, fields: Record<string, unknown>, message: string): void;
  noteSuccess(): void;
};

export function createDiskAwareLog(log: RunnerLog): DiskAwareLog {
  let isFailing = false;
  return {
    warn: (thrown, fields, message) => {
      const isOfDisk = isDiskError(thrown);
      if (!isOfDisk || !isFailing) log.warn(fields, message);
      isFailing ||= isOfDisk;
    },
    noteSuccess: () => {
      isFailing = false;
    },
  };
}
