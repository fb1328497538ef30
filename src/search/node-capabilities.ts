import type { Method, SourceType } from "../platforms/methods.ts";
import type { Platform } from "../posts/post.ts";

export type NodeCapabilities = {
  hasEmbeddedNode: boolean;
  hasRemoteNodes(): boolean;
  answeredFrom(request: {
    platform: Platform;
    type: SourceType;
    method: Method;
  }): "upstream" | "archive" | null;
};

export const onlyEmbeddedNode: NodeCapabilities = {
  hasEmbeddedNode: true,
  hasRemoteNodes: () => false,
  answeredFrom: () => null,
};
