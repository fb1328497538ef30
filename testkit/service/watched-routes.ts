export type Route = { method: string; url: string; inputs: readonly string[] };

/** Routes registered since `watchingFastify` replaced fastify. */
export const routes: Route[] = [];

/** The module for `vi.mock("fastify", …)`. */
export function watchingFastify(original: typeof import("fastify")) {
  const watchedFastify = (options?: object) => {
    const app = original.fastify(options);
    app.addHook("onRoute", ({ method, url, schema }) => {
      const querystring = schema?.querystring as { shape?: object } | undefined;
      const inputs = Object.keys(querystring?.shape ?? {});
      for (const verb of [method].flat()) routes.push({ method: verb, url, inputs });
    });
    return app;
  };
  return { ...original, default: watchedFastify, fastify: watchedFastify };
}
