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
  const account = await findAccountOnServer(call.target, session);
  if (account === null) return absentPage;
  const answer = account.json === null ? await accountById(account) : account;
  if (answer === null) return absentPage;
  const { json } = answer;
  const at = { instance: account.access.instance, nowMs: session.nowMs };
  const warnings = warningsOnForeign(account.access, json);
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
  const account = await continued(requested, () => findAccountOnServer(call.target, session));
  if (account === null) return absentPage;
  const { access, id, paging, json } = account;
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
