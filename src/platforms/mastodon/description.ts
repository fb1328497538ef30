import type { PlatformDescription } from "../description.ts";
import { mastodonIdentity } from "./identity.ts";
import { mastodonSupport } from "./support.ts";

export const mastodonDescription: PlatformDescription = {
  identity: mastodonIdentity,
  support: mastodonSupport,
  configuration: {
    user: "earshot credentials add mastodon user-token",
    app: "earshot credentials add mastodon app-token",
    public: "EARSHOT_MASTODON_INSTANCE",
  },
  sources:
    "EARSHOT_MASTODON_STREAM follows the stream of a server, earshot credentials add mastodon user-token lets searches query one, earshot import adds posts",
};
