import type { UpstreamPage } from "../upstream.ts";
import { absentPage } from "../upstream-page.ts";
import { asPartial, hiddenListWarnings, remoteAccountWarnings } from "./account-warnings.ts";
import { writeCursor } from "./cursor.ts";
import { type AccountOnServer, findAccountOnServer } from "./find-account.ts";
import { linkWarnings, nextPaging } from "./link-paging.ts";
import {
  boundedLimit,
  bucket,
  type PageRequest,
  pagingBucket,
  resumeOrFind,
} from "./page-request.ts";
import { sendToServer } from "./server-access.ts";
import { accountsPage, requireReadable } from "./view-page.ts";

export const maxAccounts = 80;

export async function profilePage({ call, session }: PageRequest): Promise<UpstreamPage> {
  const account = await findAccountOnServer(call.target, session);
  if (account === null) return absentPage;
  const response = account.json === null ? await fetchAccount(account) : account;
  if (response === null) return absentPage;
  const { json } = response;
  const origin = { instance: account.access.instance, nowMs: session.nowMs };
  const warnings = remoteAccountWarnings(account.access, json);
  return requireReadable(accountsPage([json], origin, { next: null, warnings }), origin.instance);
}

async function fetchAccount({ access, id }: AccountOnServer): Promise<{ json: unknown } | null> {
  return await sendToServer(access, { path: `/api/v1/accounts/${id}`, bucket }, "read:accounts");
}

export async function followPage(
  pageRequest: PageRequest,
  list: "following" | "followers",
): Promise<UpstreamPage> {
  const { call, session } = pageRequest;
  const account = await resumeOrFind(pageRequest, () => findAccountOnServer(call.target, session));
  if (account === null) return absentPage;
  const { access, id, paging, json } = account;
  const path = `/api/v1/accounts/${id}/${list}`;
  const query = { ...paging, limit: boundedLimit(maxAccounts, call) };
  const request = { path, query, bucket: pagingBucket(paging) };
  const response = await sendToServer(access, request, "read:accounts");
  if (response === null) return absentPage;
  const warnings = [
    ...remoteAccountWarnings(access, json).map(asPartial),
    ...hiddenListWarnings(json),
    ...linkWarnings(response.headers, path),
  ];
  const next = writeCursor(access, id, nextPaging(response.headers, path));
  const origin = { instance: access.instance, nowMs: session.nowMs };
  return accountsPage(response.json, origin, { next, warnings });
}
