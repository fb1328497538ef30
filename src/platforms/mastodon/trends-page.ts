import { stripControls } from "../../lib/controls.ts";
import type { Trend } from "../../posts/profile.ts";
import { asFields, list, requireList, string } from "../fields.ts";
import type { UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { itemsPage, type PageItem } from "../upstream-page.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { asHttpUrl } from "./http-url.ts";
import { boundedLimit, bucket, type PageRequest } from "./page-request.ts";
import { getServerAccess, type ServerAccess, sendToServer } from "./server-access.ts";
import { serverName } from "./view-page.ts";

const maxTrends = 20;

export async function trendsPage({ call, session }: PageRequest): Promise<UpstreamPage> {
  const access = getServerAccess(session);
  const path = "/api/v1/trends/tags";
  const limit = boundedLimit(maxTrends, call);
  const offset = Number(readCursor(call.cursor, session, null)?.paging?.offset ?? 0);
  const response = await sendToServer(access, { path, query: { offset, limit }, bucket }, "read");
  const tags = response === null ? [] : requireList(response.json, 100, access.instance);
  const items = tags.map((tag, index): PageItem => {
    const trend = readTagTrend(tag, offset + index + 1);
    return trend === null ? { kind: "unreadable" } : { kind: "trend", trend };
  });
  const next = tags.length < limit ? null : { offset: String(offset + tags.length) };
  return itemsPage(items, {
    name: serverName,
    nowMs: session.nowMs,
    next: writeCursor(access, "trends", next),
    warnings: tags.length === 0 && offset === 0 ? [noTrends(access)] : [],
  });
}

const noTrends = ({ instance }: ServerAccess): UpstreamWarning => ({
  code: "no_trends",
  message: `${instance} has no trends: they are disabled or not supported`,
});

/** `posts` sums the reported days. */
export function readTagTrend(value: unknown, rank: number): Trend | null {
  const tag = asFields(value);
  const name = stripControls(string(tag.name, 640) ?? "").trim();
  if (name === "") return null;
  return {
    platform: "mastodon",
    rank,
    name: `#${name.replace(/^#/, "")}`,
    url: asHttpUrl(tag.url),
    posts: sumUses(tag.history),
    category: null,
    startedAt: null,
  };
}

function sumUses(history: unknown): number | null {
  const uses = list(history, 31).map((day) => Number(asFields(day).uses));
  const counts = uses.filter((count) => Number.isSafeInteger(count) && count >= 0);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}
