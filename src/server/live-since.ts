import type { Platform } from "../posts/post.ts";
import type { IngestRole } from "./roles.ts";

/** Since when the connection of a platform's stream is open in this process, Unix milliseconds; null while it is not. */
export const liveSinceOf =
  (ingest: Pick<IngestRole, "state" | "mastodonState">) =>
  (platform: Platform): number | null => {
    if (platform === "bluesky") return ingest.state()?.liveSinceMs ?? null;
    // A Mastodon server repeats nothing: what was missed is a gap, and there is nothing to catch up with.
    const isOpen = platform === "mastodon" && ingest.mastodonState()?.status === "connected";
    return isOpen ? 0 : null;
  };
