import http from "node:http";
import { jsonOf, listen, sendJson } from "../../testkit/bluesky-world/local-http.mjs";

export async function startAppview(pdsPort, labelsOf) {
  const profileOf = async (actor, sources) => {
    const pds = `http://127.0.0.1:${pdsPort}/xrpc`;
    const repo = await jsonOf(`${pds}/com.atproto.repo.describeRepo?repo=${actor}`);
    if (repo === null) return null;
    const { did, handle } = repo;
    const key = `repo=${did}&collection=app.bsky.actor.profile&rkey=self`;
    const profile = (await jsonOf(`${pds}/com.atproto.repo.getRecord?${key}`))?.value;
    const uri = `at://${did}/app.bsky.actor.profile/self`;
    const cts = new Date().toISOString();
    const own = profile?.labels?.values.map(({ val }) => ({ src: did, uri, val, cts })) ?? [];
    const labels = [...own, ...labelsOf([did, uri], sources)];
    return { did, handle, displayName: profile?.displayName, labels };
  };
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    if (url.pathname !== "/xrpc/app.bsky.actor.getProfiles") return sendJson(response, null);
    const actors = url.searchParams.getAll("actors");
    const sources = (request.headers["atproto-accept-labelers"] ?? "").split(/, */);
    const profiles = await Promise.all(
      actors.map((actor) => profileOf(actor, sources).catch(() => null)),
    );
    sendJson(response, { profiles: profiles.filter((profile) => profile !== null) });
  });
  return await listen(server);
}
