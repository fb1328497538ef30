// A Bluesky network in one process: PDS and PLC directory, and adapters for Jetstream. Prints its addresses as a
// line of JSON and ends with its standard input.
//
// - `relay`: the PDS with com.atproto.sync.listHosts.
// - `plc`: the directory with current DID document keys, which Jetstream requires.
// - `labeler`, `appview`: emulators.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secp256k1Keypair } from "@atproto/crypto";
import * as pdsServer from "@atproto/pds";
import plcServer from "@did-plc/server";
import { freePort } from "../../testkit/bluesky-world/local-http.mjs";
import { administratorOf, startPds, startPlc } from "../../testkit/bluesky-world/services.mjs";
import { startAppview } from "./appview.mjs";
import { startPlcFront, startRelayFront } from "./fronts.mjs";
import { startLabeler } from "./labeler.mjs";

const folder = mkdtempSync(join(tmpdir(), "earshot-bluesky-"));
const adminPassword = "admin";

const plcPort = await startPlc(plcServer);
const pdsPort = await freePort();
await startPds(
  { pdsServer, Keypair: Secp256k1Keypair },
  {
    port: pdsPort,
    plc: `http://localhost:${plcPort}`,
    folder,
    adminPassword,
    overrides: { bskyAppViewUrl: "https://appview.invalid", bskyAppViewDid: "did:example:invalid" },
  },
);
const labeler = await startLabeler();
const address = (scheme, port) => `${scheme}://localhost:${port}`;
console.log(
  JSON.stringify({
    pds: address("http", pdsPort),
    relay: address("http", await startRelayFront(pdsPort)),
    plc: address("http", await startPlcFront(plcPort)),
    labeler: address("http", labeler.port),
    appview: address("http", await startAppview(pdsPort, labeler.labelsOf)),
    administrator: administratorOf(adminPassword),
  }),
);

process.stdin.resume();
process.stdin.on("end", () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
