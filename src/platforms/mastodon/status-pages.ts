import { fieldsOf } from "../fields.ts";
import type { UpstreamPage } from "../upstream.ts";
import { absentPage } from "../upstream-page.ts";
import { mostAccounts } from "./account-pages.ts";
import { cursorOf } from "./cursor.ts";
import { findStatus } from "./find-status.ts";
import { nextPaging, warningsOnLink } from "./link-paging.ts";
import { atMost, bucket, bucketOf, continued, type PageRequest } from "./page-request.ts";
import { pageOfReplies } from "./replies.ts";
import { send } from "./server-access.ts";
import { identityOf } from "./status-references.ts";
import { isForAll, pageOfAccounts, pageOfStatuses, readable } from "./view-page.ts";

export async function statusPage({ call, session }: PageRequest): Promise<UpstreamPage> {
  const found = await findStatus(call.target, session);
  if (found === null) return absentPage;
  const { place, id } = found;
  const answer =
    found.json === null
      ? await send(place, { path: `/api/v1/statuses/${id}`, bucket }, "read:statuses")
      : found;
  if (answer === null) return absentPage;
  const { json } = answer;
  const at = { instance: place.instance, nowMs: session.nowMs };
  return readable(pageOfStatuses([json], at, isForAll, { next: null }), place.instance);
}

export async function repliesPage({ call, session }: PageRequest): Promise<UpstreamPage> {
  const found = await findStatus(call.target, session);
  if (found === null) return absentPage;
  const { place, id, json } = found;
  const path = `/api/v1/statuses/${id}/context`;
  const answer = await send(place, { path, bucket }, "read:statuses");
  if (answer === null) return absentPage;
  const named = call.target?.kind === "post" ? call.target.uri : null;
  const uri = json === null ? named : identityOf(fieldsOf(json));
  return pageOfReplies(answer, { place, root: { id, uri }, nowMs: session.nowMs });
}

export async function rebloggersPage(requested: PageRequest): Promise<UpstreamPage> {
  const { call, session } = requested;
  const found = await continued(requested, () => findStatus(call.target, session));
  if (found === null) return absentPage;
  const { place, id, paging } = found;
  const path = `/api/v1/statuses/${id}/reblogged_by`;
  const query = { ...paging, limit: atMost(mostAccounts, call) };
  const request = { path, query, bucket: bucketOf(paging) };
  const answer = await send(place, request, "read:statuses");
  if (answer === null) return absentPage;
  const next = cursorOf(place, id, nextPaging(answer.headers, path));
  const at = { instance: place.instance, nowMs: session.nowMs };
  const remarks = warningsOnLink(answer.headers, path);
  return pageOfAccounts(answer.json, at, { next, remarks });
}
