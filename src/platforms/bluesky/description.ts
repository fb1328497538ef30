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
    "EARSHOT_INGEST=bluesky follows its stream, earshot backfill and earshot import add posts",
};
