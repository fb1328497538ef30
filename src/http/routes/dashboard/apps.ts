import { isoTime } from "../../../lib/iso-time.ts";
import type { HttpContext } from "../../context.ts";
import type { AppsResponse } from "../../dashboard/contract/connect.ts";
import { requireSession } from "../../middleware/session.ts";
import { problem } from "../../problems/write-problem.ts";
import { appPath } from "../../schemas/dashboard.ts";
import type { TypedApp } from "../typed-app.ts";

const hiddenSchema = { hide: true };
const config = { access: "session" as const };

export function addAppRoutes(
  app: TypedApp,
  { accounts, clock }: Pick<HttpContext, "accounts" | "clock">,
): void {
  app.route({
    method: "GET",
    url: "/dashboard/api/apps",
    config,
    schema: hiddenSchema,
    handler: async (request): Promise<AppsResponse> => {
      const { accountId } = requireSession(request);
      const apps = await accounts.read("listApps", { accountId, nowMs: clock.now() });
      return {
        apps: apps.map(({ id, clientId, clientName, methods, ...grant }) => ({
          id,
          name: clientName,
          host: new URL(clientId).host,
          methods,
          created_at: isoTime(grant.createdMs),
          used_at: grant.usedMs === null ? null : isoTime(grant.usedMs),
          used_from: grant.usedFrom,
          expires_at: isoTime(grant.expiresMs),
        })),
      };
    },
  });

  app.route({
    method: "DELETE",
    url: "/dashboard/api/apps/:id",
    config,
    schema: { ...hiddenSchema, params: appPath },
    handler: async (request, reply) => {
      const { accountId } = requireSession(request);
      const { id } = request.params;
      const isDisconnected = await accounts.write("disconnectApp", {
        accountId,
        id,
        nowMs: clock.now(),
      });
      if (!isDisconnected) throw problem("app_not_found", "connected app not found");
      return reply.code(204).send();
    },
  });
}
