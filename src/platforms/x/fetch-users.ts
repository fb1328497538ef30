import type { Profile } from "../../posts/profile.ts";
import { asFields, list, string } from "../fields.ts";
import type { Session } from "../session.ts";
import type { PostTarget, UserTarget } from "../target.ts";
import type { PageCall, UpstreamPage } from "../upstream.ts";
import { absentPage, itemsPage, type PageItem } from "../upstream-page.ts";
import { userFields } from "./fields.ts";
import {
  firstPresent,
  isUsername,
  nonEmptyText,
  readBoolean,
  readCount,
  readHttpUrl,
  readIdText,
  readUsername,
  targetPostId,
} from "./json.ts";
import { xName } from "./post-page.ts";
import { requestX, type XRequest, type XResponse } from "./request.ts";
import { readUserCursor, resolveUserId } from "./resolve-user-id.ts";

const scopes = ["users.read", "tweet.read"];

export async function fetchUserProfile(
  { id, handle }: UserTarget,
  session: Session,
): Promise<UpstreamPage> {
  const userId = readIdText(id);
  if (userId !== null) return await fetchProfile(`/2/users/${userId}`, "GET /2/users/:id", session);
  if (handle === null || !isUsername(handle)) return absentPage;
  const path = `/2/users/by/username/${handle}`;
  return await fetchProfile(path, "GET /2/users/by/username/:username", session);
}

async function fetchProfile(path: string, bucket: string, session: Session): Promise<UpstreamPage> {
  const { data } = await requestX(session, {
    path,
    query: { "user.fields": userFields },
    bucket,
    bill: { userReads: 1 },
    billedAs: "users",
    scopes,
  });
  return data === null ? absentPage : usersPage([data], lastPage, session);
}

export async function fetchRetweeters(
  target: PostTarget,
  call: PageCall,
  session: Session,
): Promise<UpstreamPage> {
  const id = targetPostId(target);
  if (id === null) return absentPage;
  return await fetchUsers(call, session, {
    path: `/2/tweets/${id}/retweeted_by`,
    bucket: "GET /2/tweets/:id/retweeted_by",
    scopes,
  });
}

export async function fetchFollows(
  target: UserTarget,
  list: "followers" | "following",
  call: PageCall,
  session: Session,
): Promise<UpstreamPage> {
  const cursor = readUserCursor(call.cursor);
  const id = cursor?.id ?? (await resolveUserId(target, session));
  if (id === null) return absentPage;
  const position = { ...call, cursor: cursor?.token ?? null };
  const page = await fetchUsers(position, session, {
    path: `/2/users/${id}/${list}`,
    bucket: `GET /2/users/:id/${list}`,
    scopes: ["follows.read", ...scopes],
  });
  return { ...page, next: page.next === null ? null : `${id}.${page.next}` };
}

async function fetchUsers(
  { cursor, limit }: PageCall,
  session: Session,
  request: Pick<XRequest, "path" | "bucket" | "scopes">,
): Promise<UpstreamPage> {
  const size = Math.min(Math.max(limit, 1), 100);
  const response = await requestX(session, {
    ...request,
    query: {
      max_results: size,
      pagination_token: cursor ?? undefined,
      "user.fields": userFields,
    },
    bill: { userReads: size },
    billedAs: "users",
  });
  return response.isAbsent ? absentPage : usersPage(list(response.data, 1_000), response, session);
}

const lastPage = { next: null, warnings: [] };

function usersPage(
  items: readonly unknown[],
  { next, warnings }: Pick<XResponse, "next" | "warnings">,
  { nowMs }: Session,
): UpstreamPage {
  const profiles = items.map((item): PageItem => {
    const profile = readXUser(item);
    return profile === null ? { kind: "unreadable" } : { kind: "profile", profile };
  });
  return itemsPage(profiles, { name: xName, next, nowMs, warnings });
}

export function readXUser(value: unknown): Profile | null {
  const fields = asFields(value);
  const userId = readIdText(fields.id);
  const username = readUsername(fields.username);
  if (userId === null || username === null) return null;
  const metrics = asFields(fields.public_metrics);
  return {
    platform: "x",
    userId,
    username,
    name: nonEmptyText(fields.name, 1_000),
    description: string(fields.description, 20_000),
    url: ownLink(fields.entities) ?? readHttpUrl(fields.url),
    avatarUrl: readHttpUrl(fields.profile_image_url),
    bannerUrl: readHttpUrl(fields.profile_banner_url),
    location: nonEmptyText(fields.location, 1_000),
    createdAt: nonEmptyText(fields.created_at, 40),
    verified: readBoolean(fields.verified),
    isProtected: readBoolean(fields.protected),
    isBot: null,
    labels: fields.parody === true ? ["parody"] : [],
    counts: {
      followers: readCount(metrics.followers_count),
      following: readCount(metrics.following_count),
      posts: readCount(firstPresent(metrics, "tweet_count", "post_count")),
      listed: readCount(metrics.listed_count),
    },
  };
}

function ownLink(entities: unknown): string | null {
  const [first] = list(asFields(asFields(entities).url).urls, 1);
  const { unwound_url: unwound, expanded_url: expanded } = asFields(first);
  return readHttpUrl(unwound) ?? readHttpUrl(expanded);
}
