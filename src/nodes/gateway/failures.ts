import type { Clock } from "../../lib/clock.ts";

/**
 * The jobs that nodes could not answer, as they say. One that another node answered afterwards speaks against the node: every
 * third one within ten minutes is a strike. Bounded: jobs that failed longest ago are forgotten first.
 */
export type Failures = {
  note(nodeId: string, job: string): void;
  /** The job was answered, by that node. */
  noteDone(nodeId: string, job: string): void;
  /** At how many jobs the node has failed since it answered one; 0 once it has not failed for a minute. */
  inRow(nodeId: string): number;
  forget(nodeId: string): void;
};

const mostJobs = 1_000;
const windowMs = 600_000;
const rowMs = 60_000;
const failuresPerStrike = 3;

export function createFailures(
  clock: Pick<Clock, "elapsed">,
  onStrike: (nodeId: string, reason: string) => void,
): Failures {
  /** The job that failed longest ago first. */
  const nodesOf = new Map<string, Set<string>>();
  const rows = new Map<string, { failures: number; lastMs: number }>();
  const answeredElsewhere = new Map<string, number[]>();

  function inRow(nodeId: string): number {
    const row = rows.get(nodeId);
    return row === undefined || row.lastMs + rowMs <= clock.elapsed() ? 0 : row.failures;
  }

  function noteAnsweredElsewhere(nodeId: string): void {
    const nowMs = clock.elapsed();
    const before = answeredElsewhere.get(nodeId) ?? [];
    const counted = [...before.filter((atMs) => atMs + windowMs > nowMs), nowMs];
    if (counted.length < failuresPerStrike) {
      answeredElsewhere.set(nodeId, counted);
      return;
    }
    answeredElsewhere.delete(nodeId);
    onStrike(nodeId, `it failed at ${failuresPerStrike} jobs that others answered`);
  }

  return {
    note: (nodeId, job) => {
      rows.set(nodeId, { failures: inRow(nodeId) + 1, lastMs: clock.elapsed() });
      nodesOf.set(job, (nodesOf.get(job) ?? new Set()).add(nodeId));
      for (const [oldest] of nodesOf) {
        if (nodesOf.size <= mostJobs) break;
        nodesOf.delete(oldest);
      }
    },
    noteDone: (nodeId, job) => {
      rows.delete(nodeId);
      const failed = nodesOf.get(job);
      if (failed === undefined) return;
      nodesOf.delete(job);
      for (const other of failed) if (other !== nodeId) noteAnsweredElsewhere(other);
    },
    inRow,
    forget: (nodeId) => {
      rows.delete(nodeId);
      answeredElsewhere.delete(nodeId);
    },
  };
}
