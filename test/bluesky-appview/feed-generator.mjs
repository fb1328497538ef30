import http from "node:http";
import { Secp256k1Keypair } from "@atproto/crypto";
import { Client as PlcClient } from "@did-plc/lib";
import { listen, sendJson } from "../../testkit/bluesky-world/local-http.mjs";

/** Serves app.bsky.feed.getFeedSkeleton from a given list of posts. */
export async function startFeedGenerator(plc) {
  let posts = [];
  const port = await listen(
    http.createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url, "http://localhost");
      if (pathname !== "/xrpc/app.bsky.feed.getFeedSkeleton") return sendJson(response, null);
      const from = Number(searchParams.get("cursor") ?? 0);
      const to = from + Number(searchParams.get("limit") ?? 50);
      const cursor = to < posts.length ? { cursor: String(to) } : {};
      sendJson(response, { feed: posts.slice(from, to).map((post) => ({ post })), ...cursor });
    }),
  );
  return {
    did: await registerService(plc, `http://localhost:${port}`),
    setPosts: (uris) => {
      posts = uris;
    },
  };
}

async function registerService(plc, endpoint) {
  const client = new PlcClient(plc);
  const key = await Secp256k1Keypair.create();
  const did = await client.createDid({
    signingKey: key.did(),
    rotationKeys: [key.did()],
    handle: "feed-generator.test",
    pds: endpoint,
    signer: key,
  });
  await client.updateData(did, key, (document) => {
    document.services.bsky_fg = { type: "BskyFeedGenerator", endpoint };
    return document;
  });
  return did;
}
