import type { Method, SourceType } from "../platforms/methods.ts";
import type { Platform } from "../posts/post.ts";

export type RemoteCapabilities = {
  hasEmbeddedNode: boolean;
  hasRemoteNodes(): boolean;
  answers(requested: {
    platform: Platform;
    type: SourceType;
    method: Method;
  }): "upstream" | "archive" | null;
};

export const noRemoteCapabilities: RemoteCapabilities = {
  hasEmbeddedNode: true,
  hasRemoteNodes: () => false,
  answers: () => null,
};
