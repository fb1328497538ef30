import { join } from "node:path";
import { freePort } from "./local-http.mjs";

/** Starts the Bluesky PLC directory (`@did-plc/server`) in memory and resolves with its port. */
export async function startPlc(plcServer) {
  const port = await freePort();
  await plcServer.PlcServer.create({ db: plcServer.Database.mock(), port }).start();
  return port;
}

/** Starts the Bluesky PDS. The caller passes `@atproto/pds` and `@atproto/crypto`, which this folder lacks. */
export async function startPds(
  { pdsServer, Keypair },
  { port, plc, folder, adminPassword, overrides },
) {
  const key = await Keypair.create({ exportable: true });
  const settings = {
    devMode: true,
    port,
    hostname: "localhost",
    dataDirectory: folder,
    blobstoreDiskLocation: join(folder, "blobs"),
    recoveryDidKey: (await Keypair.create()).did(),
    adminPassword,
    jwtSecret: "jwt-secret-for-tests",
    serviceHandleDomains: [".test"],
    modServiceUrl: "https://moderator.invalid",
    modServiceDid: "did:example:invalid",
    plcRotationKeyK256PrivateKeyHex: Buffer.from(await key.export()).toString("hex"),
    inviteRequired: false,
    disableSsrfProtection: true,
    didPlcUrl: plc,
    ...overrides,
  };
  const server = await pdsServer.PDS.create(
    pdsServer.envToCfg(settings),
    pdsServer.envToSecrets(settings),
  );
  await server.start();
  return server;
}

export const administratorOf = (password) =>
  `Basic ${Buffer.from(`admin:${password}`).toString("base64")}`;
