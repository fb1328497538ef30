import type { FetchMethod } from "../methods.ts";
import { type AccessKind, onlyRoute, type Route } from "../upstream.ts";
import { listSearchRoutes, searchRoutes } from "./search-request.ts";

/** Also pays for posts without media. */
export const timelineRoute: Route = { name: "timeline", reachMs: null, cost: 3 };

export function fetchRoutes(method: FetchMethod, access: AccessKind): readonly Route[] {
  if (method === "getreplies") return listSearchRoutes(access);
  if (method !== "getmedia") return onlyRoute;
  return access === "app" ? [searchRoutes.all, timelineRoute] : [timelineRoute];
}
