import type { SearchPlatform, SourceWarning } from "../../platforms/source.ts";
import type { Platform } from "../../posts/post.ts";

const nextSteps: Readonly<Record<SearchPlatform, string>> = {
  social: "EARSHOT_INGEST=bluesky follows Bluesky's stream, earshot import adds posts from a file",
  bluesky:
    "EARSHOT_INGEST=bluesky follows its stream, earshot backfill and earshot import add posts",
  mastodon:
    "EARSHOT_MASTODON_STREAM follows the stream of a server, earshot credentials add mastodon user-token lets searches ask one, earshot import adds posts",
  x: "earshot credentials add x app-token lets searches ask X, earshot import adds posts",
} satisfies Record<Platform | "social", string>;

export function noSourceWarning(platform: SearchPlatform): SourceWarning {
  const posts = platform === "social" ? "no posts" : `no posts of ${platform}`;
  return {
    code: "no_source",
    message: `there is nothing to search: the archive holds ${posts}, and no source adds any`,
    hint: nextSteps[platform],
  };
}
