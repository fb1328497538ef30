import {
  BskyAppView,
  Database,
  DataPlaneServer,
  RepoSubscription,
  ServerConfig,
} from "@atproto/bsky";
import { Secp256k1Keypair } from "@atproto/crypto";
import { Client as PlcClient } from "@did-plc/lib";
import { freePort } from "../../testkit/bluesky-world/local-http.mjs";

/** The AppView shows its labels, and hides what it takes down. */
const labelerDid = "did:plc:ar7c4by46qjdydhdevvrndac";

/** Starts an AppView that follows the PDS at `pdsPort`. */
export async function startAppview({ plc, pdsPort, postgresUrl, adminPassword }) {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const signingKey = await Secp256k1Keypair.create();
  const did = await registerService(plc, signingKey, url);
  const db = new Database({ url: postgresUrl, schema: "appview", poolSize: 10 });
  await db.migrateToLatestOrThrow();
  const dataPort = await freePort();
  const data = await DataPlaneServer.create(db, dataPort, plc, fetch);
  const config = new ServerConfig({
    version: "unknown",
    port,
    publicUrl: url,
    didPlcUrl: plc,
    serverDid: did,
    alternateAudienceDids: [],
    etcdHosts: [],
    dataplaneUrls: [`http://localhost:${dataPort}`],
    dataplaneHttpVersion: "1.1",
    bsyncUrl: "http://localhost:9",
    bsyncHttpVersion: "1.1",
    modServiceDid: "did:example:invalid",
    labelsFromIssuerDids: [labelerDid],
    adminPasswords: [adminPassword],
    bigThreadUris: new Set(),
    maxThreadParents: 50,
    disableSsrfProtection: true,
    searchTagsHide: new Set(),
    searchTagsHideAll: new Set(),
    threadTagsBumpDown: new Set(),
    threadTagsHide: new Set(),
    visibilityTagHide: "",
    visibilityTagRankPrefix: "",
    debugFieldAllowedDids: new Set(),
    draftsLimit: 500,
    feedGenSkeletonTimeout: 10_000,
  });
  const server = BskyAppView.create({ config, signingKey });
  for (const resolver of [server.ctx.idResolver, data.idResolver]) {
    resolver.handle.resolve = (handle) => resolveAtPds(pdsPort, handle);
  }
  await server.start();
  const stream = new RepoSubscription({
    service: `ws://localhost:${pdsPort}`,
    db,
    idResolver: data.idResolver,
  });
  return {
    url,
    did,
    /** Follows the PDS, which must be running, from its first event. */
    follow: () => stream.start(),
    /** Returns the number of the last processed event. */
    lastEvent: async () => {
      await stream.processAll();
      return stream.getCursor() ?? 0;
    },
    addLabels: async (labels) => {
      const row = ({ src = labelerDid, uri, cid = "", val, neg = false, cts, exp = null }) => ({
        ...{ src, uri, cid, val, neg, cts, exp },
      });
      await db.db.insertInto("label").values(labels.map(row)).execute();
    },
  };
}

async function registerService(plc, key, endpoint) {
  const client = new PlcClient(plc);
  const did = await client.createDid({
    signingKey: key.did(),
    rotationKeys: [key.did()],
    handle: "appview.test",
    pds: endpoint,
    signer: key,
  });
  await client.updateData(did, key, (document) => {
    document.services.bsky_appview = { type: "BskyAppView", endpoint };
    return document;
  });
  return did;
}

/** The network's handles are not in DNS; its PDS resolves them. */
async function resolveAtPds(pdsPort, handle) {
  const method = "com.atproto.identity.resolveHandle";
  const answer = await fetch(
    `http://localhost:${pdsPort}/xrpc/${method}?handle=${encodeURIComponent(handle)}`,
  );
  return answer.ok ? (await answer.json()).did : undefined;
}
