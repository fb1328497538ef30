import type { ArchiveChange } from "../../src/archive/archive.ts";
import type { Post } from "../../src/posts/post.ts";
import type { SmallArchive } from "./small-archive.ts";

/** How posts are indexed; `mixed` means sealed with later writes. */
export type IndexForm = "fts5" | "sealed" | "imported" | "mixed";

export const indexForms: readonly IndexForm[] = ["fts5", "sealed", "imported", "mixed"];

export const storedForms = ["fts5", "sealed"] as const;

export function storeInSegmentAs(
  archive: SmallArchive,
  posts: readonly Post[],
  form: (typeof storedForms)[number],
): void {
  archive.put(...posts);
  if (form === "sealed") archive.seal();
}

/** The final content is the same in all forms. */
export function storePostsAs(archive: SmallArchive, posts: readonly Post[], form: IndexForm): void {
  if (form === "imported") {
    for (const platformPosts of Map.groupBy(posts, ({ platform }) => platform).values()) {
      const half = Math.ceil(platformPosts.length / 2);
      archive.importSealed(platformPosts.slice(0, half), platformPosts.slice(half));
    }
    return;
  }
  const initialPosts = form === "mixed" ? posts.flatMap(initialVersions) : posts;
  const half = Math.ceil(initialPosts.length / 2);
  archive.put(...initialPosts.slice(0, half));
  archive.put(...initialPosts.slice(half));
  if (form === "fts5") return;
  archive.seal();
  if (form === "sealed") return;
  archive.write(posts.flatMap(firstChanges));
  archive.write(posts.flatMap(secondChanges));
}

/** What happens to one post in six after sealing; FTS5 then finds three of five. */
const fates = ["edited", "late", "deleted and stored again", "hidden and shown", "gone"] as const;
type Fate = (typeof fates)[number] | "none";

const getFate = (index: number): Fate =>
  index % 6 === 3 ? (fates[Math.floor(index / 6) % fates.length] ?? "none") : "none";

/** The version of a post stored at sealing. */
function initialVersions(post: Post, index: number): Post[] {
  switch (getFate(index)) {
    case "edited":
      return [{ ...post, text: `before ${post.text}`, hashtags: [], urls: [], langs: ["de"] }];
    case "late":
      return [];
    case "gone":
      return [post, otherPost(post)];
    default:
      return [post];
  }
}

function firstChanges(post: Post, index: number): ArchiveChange[] {
  const { platform, uri } = post;
  switch (getFate(index)) {
    case "edited":
    case "late":
      return [{ kind: "upsert", post }];
    case "deleted and stored again":
      return [{ kind: "delete", platform, uri, revision: "1" }];
    case "hidden and shown":
      return [hideLabel(post, false)];
    case "gone":
      return [{ kind: "delete", platform, uri: otherPost(post).uri, revision: "1" }];
    default:
      return [];
  }
}

function secondChanges(post: Post, index: number): ArchiveChange[] {
  switch (getFate(index)) {
    case "deleted and stored again":
      return [{ kind: "upsert", post: { ...post, revision: "2" } }];
    case "hidden and shown":
      return [hideLabel(post, true)];
    default:
      return [];
  }
}

const otherPost = (post: Post): Post => ({ ...post, uri: `${post.uri}:other`, nativeId: null });

const hideLabel = ({ platform, uri }: Post, negated: boolean): ArchiveChange => ({
  kind: "label",
  platform,
  subject: uri,
  source: "did:plc:labeler",
  value: "!hide",
  negated,
  createdMs: negated ? 2 : 1,
  expiresMs: null,
});
