import type { Platform } from "../posts/post.ts";
import type { IngestRole } from "./roles.ts";

/** Null while disconnected. */
export const liveSinceOf =
  (ingest: Pick<IngestRole, "state" | "mastodonState">) =>
  (platform: Platform): number | null => {
    if (platform === "bluesky") return ingest.state()?.liveSinceMs ?? null;
    // Mastodon servers do not replay events, so there is nothing to catch up with.
    const isOpen = platform === "mastodon" && ingest.mastodonState()?.status === "connected";
    return isOpen ? 0 : null;
  };
