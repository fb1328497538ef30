import type { Post } from "../../posts/post.ts";
import { createHandles, prepareHandle, preparePost } from "../write/prepare.ts";
import { createPostPacker, type PackedPosts } from "./packed-posts.ts";

export type PreparationSettings = {
  uriKey: string;
  detectLanguage: "on" | "off";
};

export async function preparePosts(
  posts: Iterable<Post>,
  nowMs: number,
  { uriKey, detectLanguage }: PreparationSettings,
): Promise<PackedPosts> {
  const packer = createPostPacker();
  const handles = createHandles();
  let detect: Detect | null = null;
  for (const post of posts) {
    const author = prepareHandle(post);
    if (author !== null) handles.add(author);
    if (detectLanguage === "on" && lacksLanguage(post)) {
      detect ??= await loadDetector();
      const labelledPost = { ...post, detectedLang: detect(post.text) };
      packer.add(preparePost({ kind: "upsert", post: labelledPost }, uriKey, nowMs));
    } else packer.add(preparePost({ kind: "upsert", post }, uriKey, nowMs));
  }
  return packer.end(handles.all());
}

const lacksLanguage = ({ langs, detectedLang }: Post): boolean =>
  langs.length === 0 && detectedLang === null;

type Detect = (text: string) => string | null;

/** Loaded on demand, because the detector takes 140 MB of memory. */
async function loadDetector(): Promise<Detect> {
  const { detectLanguage } = await import("../../posts/detect-language.ts");
  return detectLanguage;
}
