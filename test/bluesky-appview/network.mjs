// A Bluesky network in one process: the PLC directory, the PDS and the AppView of the Bluesky project, as they publish them, the
// AppView on a PostgreSQL of its own. Prints one line of JSON with its addresses, and ends with its standard input.
//
// - `pds`, `plc`, `appview`: the three services. `administrator` is the Authorization of those who run the PDS and the AppView,
//   `unlimited` a header that the PDS keeps no limits for.
// - `feedDid`: the feed generator, for whoever publishes its feed.
// - `control`: what no service offers; POST /settled resolves when the AppView has taken in all that the PDS holds, POST /labels
//   hands the AppView labels, as the network's moderation does, POST /feed says which posts the feed holds.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../testkit/bluesky-world/local-http.mjs";
import { administratorOf } from "../../testkit/bluesky-world/services.mjs";
import { startAppview } from "./appview.mjs";
import { startControl } from "./control.mjs";
import { startFeedGenerator } from "./feed-generator.mjs";
import { startPds, startPlc } from "./pds.mjs";
import { startPostgres } from "./postgres.mjs";

const folder = mkdtempSync(join(tmpdir(), "earshot-appview-"));
const adminPassword = "admin";
const limitsBypass = "key-of-those-who-fill-the-network";

const postgres = startPostgres(await freePort());
process.on("exit", () => {
  postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

const plc = await startPlc();
const pdsPort = await freePort();
const appview = await startAppview({ plc, pdsPort, postgresUrl: postgres.url, adminPassword });
const pds = await startPds({
  port: pdsPort,
  plc,
  appview,
  folder,
  adminPassword,
  limitsBypass,
});
await appview.follow();
const feedGenerator = await startFeedGenerator(plc);
const control = await startControl({ pds, appview, feedGenerator });

console.log(
  JSON.stringify({
    pds: pds.url,
    plc,
    appview: appview.url,
    control,
    feedDid: feedGenerator.did,
    administrator: administratorOf(adminPassword),
    unlimited: { "x-ratelimit-bypass": limitsBypass },
  }),
);

process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
