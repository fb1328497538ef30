import { requiredList } from "../fields.ts";
import type { UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { pageOf, type SentItem } from "../upstream-page.ts";
import { cursorOf, readCursor } from "./cursor.ts";
import { atMost, bucket, type PageRequest } from "./page-request.ts";
import { type ServerAccess, send, serverAccessOf } from "./server-access.ts";
import { trendOfTag } from "./trend.ts";
import { name } from "./view-page.ts";

const mostTrends = 20;

export async function trendsPage({ call, session }: PageRequest): Promise<UpstreamPage> {
  const position = serverAccessOf(session);
  const path = "/api/v1/trends/tags";
  const limit = atMost(mostTrends, call);
  const offset = Number(readCursor(call.cursor, session, null)?.paging?.offset ?? 0);
  const answer = await send(position, { path, query: { offset, limit }, bucket }, "read");
  const tags = answer === null ? [] : requiredList(answer.json, 100, position.instance);
  const sent = tags.map((tag, index): SentItem => {
    const trend = trendOfTag(tag, offset + index + 1);
    return trend === null ? { kind: "unreadable" } : { kind: "trend", trend };
  });
  const next = tags.length < limit ? null : { offset: String(offset + tags.length) };
  return pageOf(sent, {
    name,
    nowMs: session.nowMs,
    next: cursorOf(position, "trends", next),
    remarks: tags.length === 0 && offset === 0 ? [noTrends(position)] : [],
  });
}

const noTrends = ({ instance }: ServerAccess): UpstreamWarning => ({
  code: "no_trends",
  message: `${instance} tells no trends: its operators have switched them off, or its software has none`,
});
