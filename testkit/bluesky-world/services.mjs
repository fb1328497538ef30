import { join } from "node:path";
import { freePort } from "./local-http.mjs";

/** The PLC directory of the Bluesky project (`@did-plc/server`), in memory. Resolves with its port. */
export async function startPlc(plcServer) {
  const port = await freePort();
  await plcServer.PlcServer.create({ db: plcServer.Database.mock(), port }).start();
  return port;
}

/**
 * The PDS of the Bluesky project on this machine, with the packages of the caller (`@atproto/pds`, a keypair class of
 * `@atproto/crypto`), as this file has none. `plc` is the address of the directory; `special` adds to the settings. Resolves with
 * the server.
 */
export async function startPds(
  { pdsServer, Keypair },
  { port, plc, folder, adminPassword, special },
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
    ...special,
  };
  const server = await pdsServer.PDS.create(
    pdsServer.envToCfg(settings),
    pdsServer.envToSecrets(settings),
  );
  await server.start();
  return server;
}

/** The Authorization of the administrator of a PDS or AppView. */
export const administratorOf = (password) =>
  `Basic ${Buffer.from(`admin:${password}`).toString("base64")}`;
