import type { Method, SourceType } from "../platforms/methods.ts";
import type { Platform } from "../posts/post.ts";

export type RemoteCapabilities = {
  isRunHere: boolean;
  isThere(): boolean;
  answers(requested: {
    platform: Platform;
    type: SourceType;
    method: Method;
  }): "upstream" | "archive" | null;
};

export const noRemoteCapabilities: RemoteCapabilities = {
  isRunHere: true,
  isThere: () => false,
  answers: () => null,
};
