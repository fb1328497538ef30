import type { Post } from "../../posts/post.ts";
import { startPreparation } from "../write/prepare.ts";
import { type PackedPosts, packPosts } from "./packed-posts.ts";

/** What preparing posts for an archive takes beside the posts. */
export type PreparationSettings = {
  /** Of the archive: keys the hashes by which it looks posts up. */
  uriKey: string;
  /** Whether the language of posts whose source names none is detected. */
  detectLanguage: "on" | "off";
};

/**
 * Prepares posts as `Archive.importPosts` takes them, on any thread. `nowMs` caps times that no network has seen; `detect` names
 * the language of a text, null where it cannot be detected.
 */
export async function preparePosts(
  posts: readonly Post[],
  nowMs: number,
  { uriKey, detectLanguage }: PreparationSettings,
): Promise<PackedPosts> {
  const lacking = detectLanguage === "on" && posts.some(lacksLanguage);
  const detect = lacking ? await loadDetector() : null;
  const preparation = startPreparation(uriKey, nowMs);
  for (const post of posts) {
    const complete =
      detect !== null && lacksLanguage(post) ? { ...post, detectedLang: detect(post.text) } : post;
    preparation.add({ kind: "upsert", post: complete });
  }
  const { changes, handles } = preparation.prepared();
  return packPosts(
    changes.flatMap((change) => (change.kind === "upsert" ? [change] : [])),
    handles,
  );
}

const lacksLanguage = ({ langs, detectedLang }: Post): boolean =>
  langs.length === 0 && detectedLang === null;

type Detect = (text: string) => string | null;

/** The detector takes 140 MB: it is loaded with the first post that needs it. */
async function loadDetector(): Promise<Detect> {
  const { detectLanguage } = await import("../../text/detect-language.ts");
  return detectLanguage;
}
