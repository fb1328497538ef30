import type { Outline } from "./compare-answers.ts";
import type { GatewayWork } from "./context.ts";

/** A finished job that another node is to run too. */
export type SpotJob = {
  /** The uuid that it goes by at the second node, which cannot tell it from a job. */
  readonly uuid: string;
  /** The job whose answer counted, and the node that gave it. */
  readonly firstUuid: string;
  readonly firstNode: string;
  readonly work: GatewayWork;
  readonly answer: Outline;
  readonly holdMs: number;
  /** How long it may take in all: as long as the job had left when its node was given it. */
  readonly leftMs: number;
  /** How long it waits for a node, and then how long its lease holds, by the clock that only goes on. */
  endsMs: number;
  /** When the time of the check is over that a node has, however often it renews; by the same clock. */
  overMs: number;
};

/** The checks that wait for a node. Bounded: with too many the oldest goes. */
export type SpotLine = {
  add(job: SpotJob): void;
  /** Takes the oldest that the node accepts. */
  take(accepts: (job: SpotJob) => boolean): SpotJob | null;
  forgetOld(nowMs: number): void;
};

const mostWaiting = 100;

export function createSpotLine(): SpotLine {
  let waiting: SpotJob[] = [];
  return {
    add: (job) => {
      waiting = [...waiting, job].slice(-mostWaiting);
    },
    take: (accepts) => {
      const found = waiting.find(accepts) ?? null;
      if (found !== null) waiting = waiting.filter((job) => job !== found);
      return found;
    },
    forgetOld: (nowMs) => {
      waiting = waiting.filter(({ endsMs }) => endsMs > nowMs);
    },
  };
}
