import type { FetchMethod } from "../methods.ts";
import { type AccessKind, onlyRoute, type Route } from "../upstream.ts";
import { searchRoutes, searchRoutesOf } from "./search-request.ts";

/** An account's posts one after another, all billed, of which those with media are picked. */
export const timelineRoute: Route = { name: "timeline", reachMs: null, cost: 3 };

/** The routes of the methods that X has no endpoint of their own for. */
export function fetchRoutes(method: FetchMethod, access: AccessKind): readonly Route[] {
  if (method === "getreplies") return searchRoutesOf(access);
  if (method !== "getmedia") return onlyRoute;
  return access === "app" ? [searchRoutes.all, timelineRoute] : [timelineRoute];
}
