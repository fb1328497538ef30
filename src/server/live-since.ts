import type { Platform } from "../posts/post.ts";
import type { IngestRole } from "./roles/roles.ts";

export const createLiveSince =
  (ingest: Pick<IngestRole, "state" | "mastodonState">) =>
  (platform: Platform): number | null => {
    if (platform === "bluesky") return ingest.state()?.liveSinceMs ?? null;
    // Mastodon servers do not replay events.
    const isOpen = platform === "mastodon" && ingest.mastodonState()?.status === "connected";
    return isOpen ? 0 : null;
  };
