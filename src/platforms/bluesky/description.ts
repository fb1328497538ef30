import type { PlatformDescription } from "../description.ts";
import { blueskyIdentity } from "./identity.ts";
import { blueskySupport } from "./support.ts";

export const blueskyDescription: PlatformDescription = {
  identity: blueskyIdentity,
  support: blueskySupport,
  configuration: {
    user: "earshot credentials add bluesky app-password",
    public: "EARSHOT_BLUESKY_PUBLIC=on",
  },
  sources:
    "set EARSHOT_INGEST=bluesky to follow its stream, or add posts with earshot backfill or earshot import",
};
