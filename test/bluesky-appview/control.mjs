import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listen, sendJson } from "../../testkit/bluesky-world/local-http.mjs";

/** Actions of the network's operators over HTTP. */
export async function startControl({ pds, appview, feedGenerator }) {
  const actions = {
    "/settled": () => settled(pds, appview),
    "/labels": (labels) => appview.addLabels(labels),
    "/feed": (uris) => feedGenerator.setPosts(uris),
  };
  const port = await listen(
    http.createServer(async (request, response) => {
      const action = actions[request.url];
      if (action === undefined) return sendJson(response, null);
      await action(await bodyOf(request));
      sendJson(response, {});
    }),
  );
  return `http://localhost:${port}`;
}

async function settled(pds, appview) {
  const last = await pds.lastEvent();
  while ((await appview.lastEvent()) < last) await sleep(50);
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString("utf8") || "null");
}
