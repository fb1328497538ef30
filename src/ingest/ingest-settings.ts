import { url, urlListOrNone } from "../lib/settings/network-kinds.ts";
import {
  choice,
  count,
  didList,
  duration,
  type SettingsOf,
  settingDefaults,
} from "../lib/settings/setting.ts";
import { publicLabelerUrls, publicLabelSources } from "./jetstream/labeler-settings.ts";
import { jetstreamLimits, jetstreamSettings } from "./jetstream/settings.ts";

const accountSettings = {
  labelerUrls: urlListOrNone(
    "EARSHOT_LABELER_URLS",
    publicLabelerUrls,
    ["ws:", "wss:"],
    "Labelers whose label streams are ingested, for takedowns, `label:` and `filter:safe`.",
  ),
  labelerSources: didList(
    "EARSHOT_LABELER_SOURCES",
    publicLabelSources,
    "Accounts whose labels are trusted, regardless of the server that sends them.",
  ),
  labelerStart: choice(
    "EARSHOT_LABELER_START",
    "now",
    ["now", "beginning"],
    "Where the first connection to a labeler starts. Its history has tens of millions of labels.",
  ),
  lookUp: choice(
    "EARSHOT_LOOKUP",
    "on",
    ["on", "off"],
    "Whether to look up handles, names and labels of accounts with stored posts.",
  ),
  appviewUrl: url(
    "EARSHOT_BLUESKY_APPVIEW_URL",
    "https://public.api.bsky.app",
    ["https:", "http:"],
    "The Bluesky AppView for account lookups.",
  ),
  lookUpAgeMs: duration(
    "EARSHOT_LOOKUP_AGE",
    7 * 86_400_000,
    1_000,
    "Time after which an account is looked up again.",
  ),
  lookUpsPerSecond: count(
    "EARSHOT_LOOKUP_PER_SECOND",
    2,
    [1, 1_000],
    "Lookup requests per second, of up to 25 accounts each.",
  ),
};

export const ingestSettings = {
  source: choice("EARSHOT_INGEST", "bluesky", ["bluesky", "off"], "Live stream that is archived."),
  ...jetstreamSettings,
  coverageSlackMs: duration(
    "EARSHOT_COVERAGE_SLACK",
    10_000,
    0,
    "Maximum lag of a connected live stream whose coverage counts as current.",
  ),
  ...accountSettings,
};

export const ingestLimits = {
  ...jetstreamLimits,
  maxLabelsOfFrame: 1_000,
  fetchTimeoutMs: 10_000,
  maxResponseBytes: 1024 ** 2,
};

export type IngestSettings = SettingsOf<typeof jetstreamSettings> &
  SettingsOf<typeof accountSettings> &
  typeof ingestLimits;

export const defaultIngestSettings: IngestSettings = {
  ...settingDefaults({ ...jetstreamSettings, ...accountSettings }),
  ...ingestLimits,
};
