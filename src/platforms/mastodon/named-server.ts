import type { PostTarget, Target, UserTarget } from "../target.ts";

/** The server in the handle or id, or else in the address. */
export function namedServer(target: Target | null): string | null {
  if (target === null || target.kind === "space") return null;
  const name = target.kind === "user" ? userServer(target) : postServer(target);
  const origin = name === null ? null : URL.parse(`https://${name}`);
  return origin === null || origin.username !== "" || origin.pathname !== "/" ? null : origin.host;
}

/** Other servers may also show the profile, so the host comes last. */
const userServer = ({ handle, id, host }: UserTarget): string | null =>
  hostInName(handle) ?? hostInName(id) ?? host;

function postServer({ host, uri, url }: PostTarget): string | null {
  if (host !== null) return host;
  const imported = /^import:mastodon:[^@]+@(.+)$/.exec(uri ?? "")?.[1];
  if (imported !== undefined) return imported;
  const address = URL.parse(uri ?? url ?? "");
  return address === null || !/^https?:$/.test(address.protocol) ? null : address.host;
}

function hostInName(name: string | null): string | null {
  const at = name?.lastIndexOf("@") ?? -1;
  return name === null || at < 0 ? null : name.slice(at + 1).toLowerCase();
}
