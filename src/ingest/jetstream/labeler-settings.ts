export type LabelerSettings = {
  sources: readonly string[];
  start: "now" | "beginning";
  maxLabels: number;
  batchEvents: number;
  batchMs: number;
  quietBatchMs: number;
  maxWaitingEvents: number;
  maxFrameBytes: number;
  handshakeTimeoutMs: number;
  idleTimeoutMs: number;
  minBackoffMs: number;
  maxBackoffMs: number;
  userAgent: string;
};

export const publicLabelerUrls: readonly string[] = [
  "wss://mod.bsky.app/xrpc/com.atproto.label.subscribeLabels",
];

export const publicLabelSources: readonly string[] = ["did:plc:ar7c4by46qjdydhdevvrndac"];
