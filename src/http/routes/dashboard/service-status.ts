import type { HttpContext } from "../../context.ts";
import { serviceStatusQuery } from "../../schemas/dashboard.ts";
import type { TypedApp } from "../typed-app.ts";

export function addServiceStatusRoute(app: TypedApp, { statusBoard }: HttpContext): void {
  app.route({
    method: "GET",
    url: "/dashboard/api/status",
    config: { access: "session" },
    schema: { hide: true, querystring: serviceStatusQuery },
    handler: async (request, reply) => {
      const body = await statusBoard.status(request.query.range);
      return reply.type("application/json; charset=utf-8").send(JSON.stringify(body));
    },
  });
}
