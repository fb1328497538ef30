import type { PostTarget, Target, UserTarget } from "./target.ts";
import {
  authorityUser,
  blueskyPost,
  isLocalName,
  isServerId,
  isSpaceId,
  isXHandle,
  makeUserTarget,
  parseHost,
  postTarget,
  xNumber,
  xPost,
} from "./target-names.ts";

const blueskyHosts = /^(?:www\.|m\.)?bsky\.app$/;
const xHosts = /^(?:www\.|mobile\.|m\.)?(?:x|twitter)\.com$/;
const schemelessUrl = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d{1,5})?\//i;

export function readTargetAddress(kind: Target["kind"], text: string): Target | null {
  const address = schemelessUrl.test(text) ? `https://${text}` : text;
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.username !== "" || url.password !== "") return null;
  const path = urlSegments(url);
  if (path === null) return null;
  if (blueskyHosts.test(url.host)) return blueskyTarget(kind, path, address);
  if (xHosts.test(url.host)) return xTarget(kind, path, url);
  return mastodonTarget(kind, path, url);
}

function urlSegments(url: URL): readonly string[] | null {
  try {
    return url.pathname
      .split("/")
      .filter((part) => part !== "")
      .map(decodeURIComponent);
  } catch {
    return null;
  }
}

function blueskyTarget(
  kind: Target["kind"],
  [page, account = "", section, key]: readonly string[],
  url: string,
): UserTarget | PostTarget | null {
  if (page !== "profile") return null;
  if (kind === "user") return authorityUser(account);
  if (kind !== "post" || section !== "post" || key === undefined) return null;
  const post = blueskyPost(account, key);
  return post === null ? null : { ...post, url };
}

/** First path segments that are not accounts. */
const xPages = new Set(
  "compose,explore,hashtag,home,i,intent,jobs,login,logout,messages,notifications,privacy,search,settings,share,signup,tos".split(
    ",",
  ),
);

function xTarget(kind: Target["kind"], path: readonly string[], url: URL): Target | null {
  const [first = ""] = path;
  if (kind === "space") {
    const [, page, id = ""] = path;
    const isSpace = first === "i" && page === "spaces" && isSpaceId(id);
    return isSpace ? { kind: "space", platform: "x", id } : null;
  }
  if (kind === "post") return xPostTarget(path, url);
  const id = xNumber(
    (first === "i" && path[1] === "user" ? path[2] : null) ?? url.searchParams.get("user_id") ?? "",
  );
  if (id !== null) return makeUserTarget("x", { id });
  const handle = xPages.has(first.toLowerCase())
    ? (url.searchParams.get("screen_name") ?? "")
    : first.replace(/^@/, "");
  return isXHandle(handle) ? makeUserTarget("x", { handle }) : null;
}

function xPostTarget(path: readonly string[], url: URL): PostTarget | null {
  const index = path.findIndex((part) => part === "status" || part === "statuses");
  if (index < 1 || index > 2) return null;
  const id = xNumber(path[index + 1] ?? "");
  return id === null ? null : postTarget("x", { ...xPost(id), url: url.href });
}

/** First path segments of web apps. */
const appPrefixes = new Set(["web", "deck"]);

function mastodonTarget(
  kind: Target["kind"],
  segments: readonly string[],
  url: URL,
): UserTarget | PostTarget | null {
  const { host } = url;
  const path = appPrefixes.has(segments[0] ?? "") ? segments.slice(1) : segments;
  if (kind === "user") return mastodonUserTarget(path, host);
  if (kind !== "post" || path.length === 0) return null;
  return mastodonPostTarget(path, url);
}

/**
 * Reads `/@ann`, `/@ann@other.host`, `/users/ann`, `/u/ann`, `/ap/users/<id>` …, with any suffix.
 */
function mastodonUserTarget(path: readonly string[], host: string): UserTarget | null {
  const [first = "", second = "", third = ""] = path;
  if (first === "ap" && second === "users" && isServerId(third)) {
    return makeUserTarget("mastodon", { id: `${third}@${host}`, host });
  }
  if (first === "accounts" && isServerId(second)) {
    return makeUserTarget("mastodon", { id: `${second}@${host}`, host });
  }
  const isNamed = first === "users" || first === "profile" || first === "u";
  const [name = "", server, ...more] = (
    first.startsWith("@") ? first.slice(1) : isNamed ? second : ""
  ).split("@");
  const home = server === undefined ? host : parseHost(server);
  if (home === null || more.length > 0 || !isLocalName(name)) return null;
  return makeUserTarget("mastodon", { handle: `${name}@${home}`, host });
}

/** The URL is usually the URI. In web pages such as `/@ann@other.host/<id>`, the id is local. */
function mastodonPostTarget(
  path: readonly string[],
  { host, origin, pathname, href }: URL,
): PostTarget {
  const [first = "", second = "", third = "", fourth = "", fifth = "", ...more] = path;
  const url = href;
  const page = `${origin}${pathname}`;
  if (first.startsWith("@")) {
    const id = second === "statuses" ? third : second;
    if (isServerId(id)) return postTarget("mastodon", { id, host, url });
  }
  if (first === "statuses" && isServerId(second)) {
    return postTarget("mastodon", { id: second, host, url });
  }
  if (first === "users" && third === "statuses" && isServerId(fourth) && fifth === "") {
    return postTarget("mastodon", { uri: page, id: fourth, host, url });
  }
  const isActivityPub = first === "ap" && second === "users" && fourth === "statuses";
  if (isActivityPub && isServerId(fifth) && more.length === 0) {
    return postTarget("mastodon", { uri: page, id: fifth, host, url });
  }
  return postTarget("mastodon", { uri: url, host, url });
}
