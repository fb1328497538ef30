import { platformDescriptions } from "../../platforms/registry.ts";
import type { SearchPlatform, SourceWarning } from "../../platforms/source.ts";

const sourcesOfAll =
  "EARSHOT_INGEST=bluesky follows Bluesky's stream, earshot import adds posts from a file";

export function noSourceWarning(platform: SearchPlatform): SourceWarning {
  const posts = platform === "social" ? "no posts" : `no posts of ${platform}`;
  return {
    code: "no_source",
    message: `there is nothing to search: the archive holds ${posts}, and no source adds any`,
    hint: platform === "social" ? sourcesOfAll : platformDescriptions[platform].sources,
  };
}
