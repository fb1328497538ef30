import type { UpstreamPage } from "../upstream.ts";
import { absentPage } from "../upstream-page.ts";
import { partial, warningsOnForeign, warningsOnHidden } from "./account-warnings.ts";
import { listCursor } from "./cursor.ts";
import { type AccountOnServer, findAccountOnServer } from "./find-account.ts";
import { nextPaging, warningsOnLink } from "./link-paging.ts";
import { atMost, bucket, bucketOf, continued, type PageRequest } from "./page-request.ts";
import { sendToServer } from "./server-access.ts";
import { pageOfAccounts, readable } from "./view-page.ts";

export const maxAccounts = 80;

export async function profilePage({ call, session }: PageRequest): Promise<UpstreamPage> {
  const found = await findAccountOnServer(call.target, session);
  if (found === null) return absentPage;
  const answer = found.json === null ? await accountById(found) : found;
  if (answer === null) return absentPage;
  const { json } = answer;
  const at = { instance: found.access.instance, nowMs: session.nowMs };
  const warnings = warningsOnForeign(found.access, json);
  return readable(pageOfAccounts([json], at, { next: null, warnings }), at.instance);
}

async function accountById({ access, id }: AccountOnServer): Promise<{ json: unknown } | null> {
  return await sendToServer(access, { path: `/api/v1/accounts/${id}`, bucket }, "read:accounts");
}

export async function followPage(
  requested: PageRequest,
  list: "following" | "followers",
): Promise<UpstreamPage> {
  const { call, session } = requested;
  const found = await continued(requested, () => findAccountOnServer(call.target, session));
  if (found === null) return absentPage;
  const { access, id, paging, json } = found;
  const path = `/api/v1/accounts/${id}/${list}`;
  const query = { ...paging, limit: atMost(maxAccounts, call) };
  const request = { path, query, bucket: bucketOf(paging) };
  const answer = await sendToServer(access, request, "read:accounts");
  if (answer === null) return absentPage;
  const warnings = [
    ...warningsOnForeign(access, json).map(partial),
    ...warningsOnHidden(json),
    ...warningsOnLink(answer.headers, path),
  ];
  const next = listCursor(access, id, nextPaging(answer.headers, path));
  const at = { instance: access.instance, nowMs: session.nowMs };
  return pageOfAccounts(answer.json, at, { next, warnings });
}
