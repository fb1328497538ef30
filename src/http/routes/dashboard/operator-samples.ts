import type { HttpContext } from "../../context.ts";
import type { SamplesResponse } from "../../dashboard/contract/operator.ts";
import type { TypedApp } from "../typed-app.ts";

export function addOperatorSamplesRoute(app: TypedApp, { loadSamples }: HttpContext): void {
  app.route({
    method: "POST",
    url: "/dashboard/api/operator/samples",
    config: { access: "operator" },
    schema: { hide: true },
    handler: async (): Promise<SamplesResponse> => ({ imported: await loadSamples() }),
  });
}
