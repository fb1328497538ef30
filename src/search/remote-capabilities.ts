import type { Method, SourceType } from "../platforms/methods.ts";
import type { Platform } from "../posts/post.ts";

/** What other processes answer that run jobs of this queue. */
export type RemoteCapabilities = {
  /** Whether this process runs any jobs itself. */
  isRunHere: boolean;
  /** Whether there is any such process. */
  isThere(): boolean;
  /** Whether one can ask the platform, or at least has an archive of it; null when none can do either. */
  answers(asked: { platform: Platform; type: SourceType; method: Method }): "asked" | "held" | null;
};

export const noRemoteCapabilities: RemoteCapabilities = {
  isRunHere: true,
  isThere: () => false,
  answers: () => null,
};
