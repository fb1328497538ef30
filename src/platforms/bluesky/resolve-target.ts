import type { Session } from "../session.ts";
import type { PostTarget, Target } from "../target.ts";
import { isDid, isHandle, isRkey, parseAtUri } from "./at-uri.ts";
import { postCollection } from "./post.ts";
import { type AppView, requestAppView } from "./request.ts";

/** A DID or handle; null unless the target is a valid Bluesky account. */
export function targetActor(target: Target | null): string | null {
  if (target?.kind !== "user") return null;
  const { id, handle } = target;
  if (id !== null) return isDid(id) ? id : null;
  return handle !== null && isHandle(handle) ? handle.toLowerCase() : null;
}

export async function resolvePostUri(
  target: Target | null,
  session: Session,
  appView: AppView,
): Promise<string | null> {
  if (target?.kind !== "post") return null;
  const post = namedPost(target);
  if (post === null) return null;
  const did = isDid(post.account) ? post.account : await resolve(post.account, session, appView);
  return did === null ? null : `at://${did}/${postCollection}/${post.key}`;
}

function namedPost({ uri, handle, key }: PostTarget): { account: string; key: string } | null {
  if (uri === null) return handle === null ? null : toNamedPost(handle, key);
  const parts = parseAtUri(uri);
  if (parts !== null)
    return parts.collection === postCollection ? toNamedPost(parts.did, parts.rkey) : null;
  const [, account = "", rkey = ""] = handleUri.exec(uri) ?? [];
  return toNamedPost(account, rkey);
}

/** The authority may be a handle. */
const handleUri = /^at:\/\/([^/]{1,253})\/app\.bsky\.feed\.post\/([^/]{1,512})$/;

function toNamedPost(account: string, key: string | null): { account: string; key: string } | null {
  if (key === null || !isRkey(key)) return null;
  return isDid(account) || isHandle(account) ? { account, key } : null;
}

async function resolve(handle: string, session: Session, appView: AppView): Promise<string | null> {
  const method = "com.atproto.identity.resolveHandle";
  const response = await requestAppView(session, appView, method, { handle: handle.toLowerCase() });
  const did = response?.did;
  return typeof did === "string" && isDid(did) ? did : null;
}
