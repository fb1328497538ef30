import { lastId, xUri } from "../posts/ids.ts";
import { type Platform, platforms } from "../posts/post.ts";
import { blueskyUri } from "../posts/references.ts";
import { isDid, isHandle, isRkey } from "./bluesky/at-uri.ts";
import type { SearchPlatform } from "./source.ts";
import type { PostTarget, Target, UserTarget } from "./target.ts";
import { malformedTargetError, type TargetInput } from "./target-errors.ts";

const noUser: UserTarget = { kind: "user", platform: null, handle: null, id: null, host: null };
const noPost: PostTarget = {
  kind: "post",
  platform: null,
  uri: null,
  id: null,
  host: null,
  url: null,
  handle: null,
  key: null,
};

export const makeUserTarget = (platform: Platform, fields: Partial<UserTarget>): UserTarget => ({
  ...noUser,
  ...fields,
  platform,
});

export const postTarget = (platform: Platform, fields: Partial<PostTarget>): PostTarget => ({
  ...noPost,
  ...fields,
  platform,
});

const xHandlePattern = /^[A-Za-z0-9_]{1,20}$/;
const localNamePattern = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,254}[A-Za-z0-9_])?$/;
const spaceIdPattern = /^[A-Za-z0-9]{1,32}$/;
const numberPattern = /^\d{1,40}$/;
/** Other software uses ULIDs, and 18 characters that mix digits and capitals. */
const ulidPattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const flakePattern = /^(?=\D*\d)(?=[^A-Z]*[A-Z])[A-Za-z0-9]{18}$/;
/** Misskey and its forks, such as `9h2k1x0abc`. Without a server they could be names. */
const misskeyIdPattern = /^(?=\D*\d)[A-Za-z0-9]{10,64}$/;

export const isXHandle = (text: string): boolean => xHandlePattern.test(text);
export const isLocalName = (text: string): boolean => localNamePattern.test(text);
export const isServerId = (text: string): boolean =>
  numberPattern.test(text) || ulidPattern.test(text) || flakePattern.test(text);
const isPostId = (text: string): boolean => isServerId(text) || misskeyIdPattern.test(text);
export const isSpaceId = (text: string): boolean => spaceIdPattern.test(text);

export function xNumber(text: string): string | null {
  if (!/^\d{1,19}$/.test(text)) return null;
  const number = BigInt(text);
  return number > 0n && number <= lastId ? number.toString() : null;
}

export function xPost(id: string): Partial<PostTarget> {
  return { id, uri: xUri(id) };
}

export function parseHost(text: string): string | null {
  if (text === "" || /[/?#@\\:]/.test(text.replace(/:\d{1,5}$/, ""))) return null;
  const address = `https://${text}`;
  return URL.canParse(address) ? new URL(address).host : null;
}

/** Reads an at:// URI, a DID, or the URI of an imported post. */
export function readUri(kind: Target["kind"], text: string): Target | null {
  if (kind === "space") return null;
  const importedPlatform = /^import:([a-z]+):./.exec(text)?.[1];
  const imported = platforms.find((platform) => platform === importedPlatform);
  if (imported !== undefined) return kind === "post" ? postTarget(imported, { uri: text }) : null;
  if (kind === "user" && text.startsWith("did:")) return authorityUser(text);
  if (!/^at:\/\//i.test(text)) return null;
  const [authority = "", collection, key, ...more] = text.slice("at://".length).split("/");
  if (kind === "user") return authorityUser(authority);
  if (collection !== "app.bsky.feed.post" || key === undefined || more.length > 0) return null;
  return blueskyPost(authority, key);
}

export function authorityUser(authority: string): UserTarget | null {
  if (isDid(authority)) return makeUserTarget("bluesky", { id: authority });
  return isHandle(authority)
    ? makeUserTarget("bluesky", { handle: authority.toLowerCase() })
    : null;
}

export function blueskyPost(account: string, key: string): PostTarget | null {
  if (!isRkey(key)) return null;
  if (isDid(account)) return postTarget("bluesky", { uri: blueskyUri(account, key) });
  return isHandle(account) ? postTarget("bluesky", { handle: account.toLowerCase(), key }) : null;
}

export function readTargetName(
  kind: Target["kind"],
  text: string,
  platform: SearchPlatform,
  input: TargetInput,
): Target | null {
  if (kind === "user") return readUser(text, platform, input);
  if (kind === "post") return readPostId(text, platform);
  return isSpaceId(text) && (platform === "x" || platform === "social")
    ? { kind: "space", platform: "x", id: text }
    : null;
}

function readUser(text: string, platform: SearchPlatform, input: TargetInput): UserTarget | null {
  const hasAtSign = /^[@＠]/.test(text);
  const name = hasAtSign ? text.slice(1) : text;
  if (name.includes("@")) return readServerName(name, hasAtSign);
  if (!hasAtSign && numberPattern.test(name)) return readUserNumber(name, platform, input);
  if (platform === "mastodon") {
    if (!hasAtSign && isServerId(name)) return makeUserTarget("mastodon", { id: name });
    return isLocalName(name) ? makeUserTarget("mastodon", { handle: name }) : null;
  }
  if (isHandle(name)) return makeUserTarget("bluesky", { handle: name.toLowerCase() });
  if (!isXHandle(name)) return null;
  if (platform === "bluesky") {
    throw malformedTargetError(input, {
      message: "a Bluesky handle must contain a dot",
      hint: `write the whole handle, such as ${name}.bsky.social`,
    });
  }
  return { ...noUser, handle: name };
}

/** `109@host` without a leading `@` is an id on that server, as in records. */
function readServerName(name: string, hasAtSign: boolean): UserTarget | null {
  const [local = "", server = "", ...more] = name.split("@");
  const host = parseHost(server);
  if (host === null || more.length > 0) return null;
  if (!hasAtSign && isServerId(local)) {
    return makeUserTarget("mastodon", { id: `${local}@${host}`, host });
  }
  return isLocalName(local) ? makeUserTarget("mastodon", { handle: `${local}@${host}` }) : null;
}

function readUserNumber(
  digits: string,
  platform: SearchPlatform,
  input: TargetInput,
): UserTarget | null {
  if (platform === "bluesky") {
    throw malformedTargetError(input, {
      message: "Bluesky accounts have no numeric ids",
      hint: `write the handle or the DID; x:${digits.slice(0, 19)} is an account on X`,
    });
  }
  if (platform === "mastodon") return makeUserTarget("mastodon", { id: digits });
  const number = xNumber(digits);
  return number === null ? null : { ...noUser, id: number };
}

function readPostId(text: string, platform: SearchPlatform): PostTarget | null {
  if (text.includes("@")) return readServerPostId(text);
  if (platform === "mastodon")
    return isServerId(text) ? postTarget("mastodon", { id: text }) : null;
  const number = xNumber(text);
  if (number === null) return null;
  return platform === "x" ? postTarget("x", xPost(number)) : { ...noPost, id: number };
}

function readServerPostId(text: string): PostTarget | null {
  const [id = "", server = "", ...more] = text.split("@");
  const host = parseHost(server);
  return host === null || more.length > 0 || !isPostId(id)
    ? null
    : postTarget("mastodon", { id, host });
}
