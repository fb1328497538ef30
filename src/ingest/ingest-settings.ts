import { publicLabelerUrls, publicLabelSources } from "./jetstream/labeler-settings.ts";
import { defaultJetstreamSettings, type JetstreamSettings } from "./jetstream/settings.ts";

/** The settings of everything that comes in by itself. */
export type IngestSettings = Omit<JetstreamSettings, "userAgent"> & {
  /** Addresses of `com.atproto.label.subscribeLabels`. */
  labelerUrls: readonly string[];
  /** Ids of accounts whose labels are believed. */
  labelerSources: readonly string[];
  labelerStart: "now" | "beginning";
  maxLabelsOfFrame: number;
  lookUp: "on" | "off";
  appviewUrl: string;
  lookUpAgeMs: number;
  lookUpsPerSecond: number;
  fetchTimeoutMs: number;
  maxAnswerBytes: number;
};

const { userAgent: _userAgent, ...jetstream } = defaultJetstreamSettings;

export const defaultIngestSettings: IngestSettings = {
  ...jetstream,
  labelerUrls: publicLabelerUrls,
  labelerSources: publicLabelSources,
  labelerStart: "now",
  maxLabelsOfFrame: 1_000,
  lookUp: "on",
  appviewUrl: "https://public.api.bsky.app",
  lookUpAgeMs: 7 * 86_400_000,
  lookUpsPerSecond: 2,
  fetchTimeoutMs: 10_000,
  maxAnswerBytes: 1024 ** 2,
};
