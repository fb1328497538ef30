// A Bluesky network in one process: the PDS and the PLC directory of the Bluesky project, as they publish them, with what
// stands between them and Jetstream. Prints one line of JSON with its addresses, and ends with its standard input.
//
// - `pds`: the PDS; `administrator` is the Authorization of those who run it.
// - `relay`: the PDS behind a front that also answers com.atproto.sync.listHosts, as a relay does and a PDS does not.
// - `plc`: the PLC directory behind a front that writes keys of DID documents in their present form, which the published
//   directory does not do yet, and Jetstream asks for.
// - `labeler`: com.atproto.label.subscribeLabels, an emulator made of the network's own stream server and frames; what is
//   posted to /labels, a JSON list of labels, is signed, kept and sent.
// - `appview`: an emulator of app.bsky.actor.getProfiles, answered from what the PDS holds and what the labeler said.
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
    special: { bskyAppViewUrl: "https://appview.invalid", bskyAppViewDid: "did:example:invalid" },
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
