import type { UpstreamPage } from "../upstream.ts";
import { absentPage } from "../upstream-page.ts";
import { partial, warningsOnForeign, warningsOnHidden } from "./account-warnings.ts";
import { cursorOf } from "./cursor.ts";
import { type FoundAccount, findAccount } from "./find-account.ts";
import { nextPaging, warningsOnLink } from "./link-paging.ts";
import { atMost, bucket, bucketOf, continued, type PageRequest } from "./page-request.ts";
import { send } from "./server-access.ts";
import { pageOfAccounts, readable } from "./view-page.ts";

export const mostAccounts = 80;

export async function profilePage({ call, session }: PageRequest): Promise<UpstreamPage> {
  const found = await findAccount(call.target, session);
  if (found === null) return absentPage;
  const answer = found.json === null ? await accountById(found) : found;
  if (answer === null) return absentPage;
  const { json } = answer;
  const at = { instance: found.place.instance, nowMs: session.nowMs };
  const remarks = warningsOnForeign(found.place, json);
  return readable(pageOfAccounts([json], at, { next: null, remarks }), at.instance);
}

async function accountById({ place, id }: FoundAccount): Promise<{ json: unknown } | null> {
  return await send(place, { path: `/api/v1/accounts/${id}`, bucket }, "read:accounts");
}

export async function followPage(
  requested: PageRequest,
  list: "following" | "followers",
): Promise<UpstreamPage> {
  const { call, session } = requested;
  const found = await continued(requested, () => findAccount(call.target, session));
  if (found === null) return absentPage;
  const { place, id, paging, json } = found;
  const path = `/api/v1/accounts/${id}/${list}`;
  const query = { ...paging, limit: atMost(mostAccounts, call) };
  const request = { path, query, bucket: bucketOf(paging) };
  const answer = await send(place, request, "read:accounts");
  if (answer === null) return absentPage;
  const remarks = [
    ...warningsOnForeign(place, json).map(partial),
    ...warningsOnHidden(json),
    ...warningsOnLink(answer.headers, path),
  ];
  const next = cursorOf(place, id, nextPaging(answer.headers, path));
  const at = { instance: place.instance, nowMs: session.nowMs };
  return pageOfAccounts(answer.json, at, { next, remarks });
}
