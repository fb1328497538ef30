import { isDiskError } from "../lib/disk-error.ts";

export type RunnerLog = { warn(fields: Record<string, unknown>, message: string): void };

/** `thrown` is the error that the line reports. */
export type DiskAwareLog = {
  warn(thrown: unknown, fields: Record<string, unknown>, message: string): void;
  noteSuccess(): void;
};

/** Logs disk errors once until an attempt succeeds, because every attempt meets them. */
export function onceWhileDiskFails(log: RunnerLog): DiskAwareLog {
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
