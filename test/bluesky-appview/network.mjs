// A Bluesky network in one process: PLC directory, PDS, AppView and its PostgreSQL. Prints its addresses as a line
// of JSON and ends with its standard input.
//
// - `unlimited`: a header that exempts from the PDS's rate limits.
// - `control`: POST /settled resolves when the AppView has processed every event, /labels adds labels, /feed sets
//   the posts of the feed.
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
const limitsBypass = "rate-limit-bypass";

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
