import type { PostTarget, Target, UserTarget } from "../target.ts";

/** The server of the handle or id, else of the address. */
export function namedServer(target: Target | null): string | null {
  if (target === null || target.kind === "space") return null;
  const named = target.kind === "user" ? ofUser(target) : ofPost(target);
  const origin = named === null ? null : URL.parse(`https://${named}`);
  return origin === null || origin.username !== "" || origin.pathname !== "/" ? null : origin.host;
}

/** Profile pages may also be on other servers. */
const ofUser = ({ handle, id, host }: UserTarget): string | null =>
  afterAt(handle) ?? afterAt(id) ?? host;

function ofPost({ host, uri, url }: PostTarget): string | null {
  if (host !== null) return host;
  const imported = /^import:mastodon:[^@]+@(.+)$/.exec(uri ?? "")?.[1];
  if (imported !== undefined) return imported;
  const address = URL.parse(uri ?? url ?? "");
  return address === null || !/^https?:$/.test(address.protocol) ? null : address.host;
}

function afterAt(name: string | null): string | null {
  const at = name?.lastIndexOf("@") ?? -1;
  return name === null || at < 0 ? null : name.slice(at + 1).toLowerCase();
}
