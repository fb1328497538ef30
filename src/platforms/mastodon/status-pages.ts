import { asFields } from "../fields.ts";
import type { UpstreamPage } from "../upstream.ts";
import { absentPage } from "../upstream-page.ts";
import { maxAccounts } from "./account-pages.ts";
import { listCursor } from "./cursor.ts";
import { findStatus } from "./find-status.ts";
import { linkWarnings, nextPaging } from "./link-paging.ts";
import {
  boundedLimit,
  bucket,
  type PageRequest,
  pagingBucket,
  resumeOrFind,
} from "./page-request.ts";
import { mastodonReplyPage } from "./replies.ts";
import { sendToServer } from "./server-access.ts";
import { statusIdentity } from "./status-references.ts";
import { accountsPage, isVisibleToAll, requireReadable, statusesPage } from "./view-page.ts";

export async function statusPage({ call, session }: PageRequest): Promise<UpstreamPage> {
  const status = await findStatus(call.target, session);
  if (status === null) return absentPage;
  const { access, id } = status;
  const answer =
    status.json === null
      ? await sendToServer(access, { path: `/api/v1/statuses/${id}`, bucket }, "read:statuses")
      : status;
  if (answer === null) return absentPage;
  const { json } = answer;
  const origin = { instance: access.instance, nowMs: session.nowMs };
  return requireReadable(
    statusesPage([json], origin, isVisibleToAll, { next: null }),
    access.instance,
  );
}

export async function repliesPage({ call, session }: PageRequest): Promise<UpstreamPage> {
  const status = await findStatus(call.target, session);
  if (status === null) return absentPage;
  const { access, id, json } = status;
  const path = `/api/v1/statuses/${id}/context`;
  const answer = await sendToServer(access, { path, bucket }, "read:statuses");
  if (answer === null) return absentPage;
  const requestedUri = call.target?.kind === "post" ? call.target.uri : null;
  const uri = json === null ? requestedUri : statusIdentity(asFields(json));
  return mastodonReplyPage(answer, { access, root: { id, uri }, nowMs: session.nowMs });
}

export async function rebloggersPage(pageRequest: PageRequest): Promise<UpstreamPage> {
  const { call, session } = pageRequest;
  const status = await resumeOrFind(pageRequest, () => findStatus(call.target, session));
  if (status === null) return absentPage;
  const { access, id, paging } = status;
  const path = `/api/v1/statuses/${id}/reblogged_by`;
  const query = { ...paging, limit: boundedLimit(maxAccounts, call) };
  const request = { path, query, bucket: pagingBucket(paging) };
  const answer = await sendToServer(access, request, "read:statuses");
  if (answer === null) return absentPage;
  const next = listCursor(access, id, nextPaging(answer.headers, path));
  const origin = { instance: access.instance, nowMs: session.nowMs };
  const warnings = linkWarnings(answer.headers, path);
  return accountsPage(answer.json, origin, { next, warnings });
}
