import { join } from "node:path";
import { Secp256k1Keypair } from "@atproto/crypto";
import * as pdsServer from "@atproto/pds";
import plcServer from "@did-plc/server";
import { freePort } from "../../testkit/bluesky-world/local-http.mjs";

/** The PLC directory, in memory. Gives its address. */
export async function startPlc() {
  const port = await freePort();
  await plcServer.PlcServer.create({ db: plcServer.Database.mock(), port }).start();
  return `http://localhost:${port}`;
}

/** The PDS, which keeps the limits that the network's own keep. `appview` answers what it is asked of app.bsky. */
export async function startPds({ port, plc, appview, folder, adminPassword, limitsBypass }) {
  const key = await Secp256k1Keypair.create({ exportable: true });
  const settings = {
    devMode: true,
    port,
    hostname: "localhost",
    dataDirectory: folder,
    blobstoreDiskLocation: join(folder, "blobs"),
    recoveryDidKey: (await Secp256k1Keypair.create()).did(),
    adminPassword,
    jwtSecret: "jwt-secret-for-tests",
    serviceHandleDomains: [".test"],
    bskyAppViewUrl: appview.url,
    bskyAppViewDid: appview.did,
    bskyAppViewCdnUrlPattern: `${appview.url}/img/%s/plain/%s/%s@jpeg`,
    modServiceUrl: "https://moderator.invalid",
    modServiceDid: "did:example:invalid",
    plcRotationKeyK256PrivateKeyHex: Buffer.from(await key.export()).toString("hex"),
    inviteRequired: false,
    disableSsrfProtection: true,
    didPlcUrl: plc,
    rateLimitsEnabled: true,
    rateLimitBypassKey: limitsBypass,
  };
  const server = await pdsServer.PDS.create(
    pdsServer.envToCfg(settings),
    pdsServer.envToSecrets(settings),
  );
  await server.start();
  return {
    url: `http://localhost:${port}`,
    /** The number of the last event that its stream told. */
    lastEvent: async () => (await server.ctx.sequencer.curr()) ?? 0,
  };
}
