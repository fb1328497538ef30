import { list } from "../fields.ts";
import type { Session } from "../session.ts";
import type { PostTarget, UserTarget } from "../target.ts";
import type { PageCall, UpstreamPage } from "../upstream.ts";
import { absentPage, itemsPage, type PageItem } from "../upstream-page.ts";
import { userFields } from "./fields.ts";
import { isUsername, readIdText, targetPostId } from "./json.ts";
import { xName } from "./post-page.ts";
import { readXUser } from "./read-user.ts";
import { requestX, type XRequest, type XResponse } from "./request.ts";
import { resolveUserId } from "./resolve-user-id.ts";
import { readUserCursor } from "./user-cursor.ts";

const scopes = ["users.read", "tweet.read"];

export async function readUserProfile(
  { id, handle }: UserTarget,
  session: Session,
): Promise<UpstreamPage> {
  const userId = readIdText(id);
  if (userId !== null) return await profileAt(`/2/users/${userId}`, "GET /2/users/:id", session);
  if (handle === null || !isUsername(handle)) return absentPage;
  const path = `/2/users/by/username/${handle}`;
  return await profileAt(path, "GET /2/users/by/username/:username", session);
}

async function profileAt(path: string, bucket: string, session: Session): Promise<UpstreamPage> {
  const { data } = await requestX(session, {
    path,
    query: { "user.fields": userFields },
    bucket,
    bill: { userReads: 1 },
    counted: "users",
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
  return await usersAt(call, session, {
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
  const page = await usersAt(position, session, {
    path: `/2/users/${id}/${list}`,
    bucket: `GET /2/users/:id/${list}`,
    scopes: ["follows.read", ...scopes],
  });
  return { ...page, next: page.next === null ? null : `${id}.${page.next}` };
}

async function usersAt(
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
    counted: "users",
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
