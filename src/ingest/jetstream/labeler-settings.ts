export type LabelerSettings = {
  /** Ids of accounts whose labels are believed. */
  sources: readonly string[];
  /** Where the very first connection to a labeler begins. */
  start: "now" | "beginning";
  /** Most labels that one frame may hold. */
  maxLabels: number;
  batchEvents: number;
  batchMs: number;
  quietBatchMs: number;
  maxWaitingEvents: number;
  maxFrameBytes: number;
  handshakeTimeoutMs: number;
  idleTimeoutMs: number;
  leastBackoffMs: number;
  mostBackoffMs: number;
  userAgent: string;
};

export const publicLabelerUrls: readonly string[] = [
  "wss://mod.bsky.app/xrpc/com.atproto.label.subscribeLabels",
];

/** The network's own moderation service. */
export const publicLabelSources: readonly string[] = ["did:plc:ar7c4by46qjdydhdevvrndac"];
