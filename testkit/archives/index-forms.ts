import type { ArchiveChange } from "../../src/archive/archive.ts";
import type { Post } from "../../src/posts/post.ts";
import type { SmallArchive } from "./small-archive.ts";

/**
 * What the posts of an archive are found by: FTS5, the sealed index, the one that an import makes by itself, or FTS5 and a sealed
 * one, where some posts were written after the segments were sealed.
 */
export type IndexForm = "fts5" | "sealed" | "imported" | "mixed";

export const indexForms: readonly IndexForm[] = ["fts5", "sealed", "imported", "mixed"];

/** The forms in which segments and their numbers are the same. */
export const heldForms = ["fts5", "sealed"] as const;

/** Puts the posts into an archive in one batch, and seals it where that is the form. */
export function putInOne(
  archive: SmallArchive,
  posts: readonly Post[],
  form: (typeof heldForms)[number],
): void {
  archive.put(...posts);
  if (form === "sealed") archive.seal();
}

/** Puts the posts into an archive, in several batches, so that they are found by that. What is held in the end is the same. */
export function putInForm(archive: SmallArchive, posts: readonly Post[], form: IndexForm): void {
  if (form === "imported") {
    for (const own of Map.groupBy(posts, ({ platform }) => platform).values()) {
      const half = Math.ceil(own.length / 2);
      archive.importSealed(own.slice(0, half), own.slice(half));
    }
    return;
  }
  const first = form === "mixed" ? posts.flatMap(heldBefore) : posts;
  const half = Math.ceil(first.length / 2);
  archive.put(...first.slice(0, half));
  archive.put(...first.slice(half));
  if (form === "fts5") return;
  archive.seal();
  if (form === "sealed") return;
  archive.write(posts.flatMap(firstChanges));
  archive.write(posts.flatMap(secondChanges));
}

/** What happens to one post in six after sealing, in turn: three of five are found by FTS5 then. */
const fates = ["edited", "late", "deleted and put again", "hidden and shown", "gone"] as const;
type Fate = (typeof fates)[number] | "none";

const fateOf = (index: number): Fate =>
  index % 6 === 3 ? (fates[Math.floor(index / 6) % fates.length] ?? "none") : "none";

/** As which posts one of the posts is held when the segments are sealed. */
function heldBefore(post: Post, index: number): Post[] {
  switch (fateOf(index)) {
    case "edited":
      return [{ ...post, text: `before ${post.text}`, hashtags: [], urls: [], langs: ["de"] }];
    case "late":
      return [];
    case "gone":
      return [post, otherOf(post)];
    default:
      return [post];
  }
}

function firstChanges(post: Post, index: number): ArchiveChange[] {
  const { platform, uri } = post;
  switch (fateOf(index)) {
    case "edited":
    case "late":
      return [{ kind: "upsert", post }];
    case "deleted and put again":
      return [{ kind: "delete", platform, uri, revision: "1" }];
    case "hidden and shown":
      return [hiding(post, false)];
    case "gone":
      return [{ kind: "delete", platform, uri: otherOf(post).uri, revision: "1" }];
    default:
      return [];
  }
}

function secondChanges(post: Post, index: number): ArchiveChange[] {
  switch (fateOf(index)) {
    case "deleted and put again":
      return [{ kind: "upsert", post: { ...post, revision: "2" } }];
    case "hidden and shown":
      return [hiding(post, true)];
    default:
      return [];
  }
}

/** A post that says the same under a name of its own. */
const otherOf = (post: Post): Post => ({ ...post, uri: `${post.uri}:other`, nativeId: null });

const hiding = ({ platform, uri }: Post, negated: boolean): ArchiveChange => ({
  kind: "label",
  platform,
  subject: uri,
  source: "did:plc:labeler",
  value: "!hide",
  negated,
  createdMs: negated ? 2 : 1,
  expiresMs: null,
});
