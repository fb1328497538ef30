import { platformDescriptions } from "../../platforms/registry.ts";
import type { SearchPlatform, SourceWarning } from "../../platforms/source.ts";

const allSourcesHint =
  "set EARSHOT_INGEST=bluesky to follow Bluesky's stream, or add posts with earshot import";

export function noSourceWarning(platform: SearchPlatform): SourceWarning {
  const posts = platform === "social" ? "no posts" : `no posts from ${platform}`;
  return {
    code: "no_source",
    message: `nothing to search: the archive has ${posts}, and no source is configured`,
    hint: platform === "social" ? allSourcesHint : platformDescriptions[platform].sources,
  };
}
