/** A path of the service with one of its methods; `inputs` are the names that its query string may hold. */
export type Route = { method: string; url: string; inputs: readonly string[] };

/** Every route that anyone has added to a service since the test has put `watchingFastify` in the place of fastify. */
export const routes: Route[] = [];

/** Fastify, with every route noted that passes: none is forgotten. For `vi.mock("fastify", …)`. */
export function watchingFastify(original: typeof import("fastify")) {
  const watched = (options?: object) => {
    const app = original.fastify(options);
    app.addHook("onRoute", ({ method, url, schema }) => {
      const querystring = schema?.querystring as { shape?: object } | undefined;
      const inputs = Object.keys(querystring?.shape ?? {});
      for (const one of [method].flat()) routes.push({ method: one, url, inputs });
    });
    return app;
  };
  return { ...original, default: watched, fastify: watched };
}
