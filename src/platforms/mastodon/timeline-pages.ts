import { asFields, list } from "../fields.ts";
import type { UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { absentPage } from "../upstream-page.ts";
import { asPartial, remoteAccountWarnings } from "./account-warnings.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { findAccountOnServer } from "./find-account.ts";
import { linkWarnings, nextPaging } from "./link-paging.ts";
import {
  boundedLimit,
  type PageRequest,
  pagingAfterLast,
  pagingBucket,
  resumeOrFind,
} from "./page-request.ts";
import { getServerAccess, type ServerAccess, sendToServer } from "./server-access.ts";
import { isVisibleToAll, statusesPage } from "./view-page.ts";

const maxStatuses = 40;

export async function accountTimeline(
  pageRequest: PageRequest,
  filter: Readonly<Record<string, boolean>>,
): Promise<UpstreamPage> {
  const { call, session } = pageRequest;
  const account = await resumeOrFind(pageRequest, () => findAccountOnServer(call.target, session));
  if (account === null) return absentPage;
  const { access, id, paging, json } = account;
  const path = `/api/v1/accounts/${id}/statuses`;
  const limit = boundedLimit(maxStatuses, call);
  const response = await sendToServer(
    access,
    { path, query: { ...filter, ...paging, limit }, bucket: pagingBucket(paging) },
    "read:statuses",
  );
  if (response === null) return absentPage;
  const next = nextPaging(response.headers, path) ?? pagingAfterLast(response, limit);
  const isShown = filter.only_media === true ? showsMedia : isVisibleToAll;
  const origin = { instance: access.instance, nowMs: session.nowMs };
  return statusesPage(response.json, origin, isShown, {
    next: writeCursor(access, id, next),
    warnings: [
      // A later page's first post contains the account.
      ...remoteAccountWarnings(access, json ?? firstAccount(response.json)).map(asPartial),
      ...linkWarnings(response.headers, path),
    ],
  });
}

const firstAccount = (statuses: unknown): unknown => asFields(list(statuses, 1)[0]).account;

/** Some servers ignore `only_media`. */
function showsMedia(status: unknown): boolean {
  return isVisibleToAll(status) && list(asFields(status).media_attachments, 1).length > 0;
}

export async function homeTimeline({ call, session }: PageRequest): Promise<UpstreamPage> {
  const access = getServerAccess(session);
  const path = "/api/v1/timelines/home";
  const limit = boundedLimit(maxStatuses, call);
  const paging = readCursor(call.cursor, session, null)?.paging;
  const request = { path, query: { ...paging, limit }, bucket: pagingBucket(paging) };
  const response = await sendToServer(access, request, "read:statuses");
  if (response === null) return absentPage;
  const next = nextPaging(response.headers, path) ?? pagingAfterLast(response, limit);
  const origin = { instance: access.instance, nowMs: session.nowMs };
  return statusesPage(response.json, origin, () => true, {
    next: writeCursor(access, "home", next),
    warnings: [
      ...(response.status === 206 ? [timelinePending(access)] : []),
      ...linkWarnings(response.headers, path),
    ],
  });
}

const timelinePending = ({ instance }: ServerAccess): UpstreamWarning => ({
  code: "timeline_pending",
  message: `${instance} is still building this timeline`,
  hint: "retry in a minute",
  isPartial: true,
});
