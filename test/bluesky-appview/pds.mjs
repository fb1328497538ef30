import { Secp256k1Keypair } from "@atproto/crypto";
import * as pdsServer from "@atproto/pds";
import plcServer from "@did-plc/server";
import * as services from "../../testkit/bluesky-world/services.mjs";

export const startPlc = async () => `http://localhost:${await services.startPlc(plcServer)}`;

/** Starts a PDS with the rate limits of the real network; `appview` answers app.bsky requests. */
export async function startPds({ port, plc, appview, folder, adminPassword, limitsBypass }) {
  const overrides = {
    bskyAppViewUrl: appview.url,
    bskyAppViewDid: appview.did,
    bskyAppViewCdnUrlPattern: `${appview.url}/img/%s/plain/%s/%s@jpeg`,
    rateLimitsEnabled: true,
    rateLimitBypassKey: limitsBypass,
  };
  const packages = { pdsServer, Keypair: Secp256k1Keypair };
  const settings = { port, plc, folder, adminPassword, overrides };
  const server = await services.startPds(packages, settings);
  return {
    url: `http://localhost:${port}`,
    lastEvent: async () => (await server.ctx.sequencer.curr()) ?? 0,
  };
}
