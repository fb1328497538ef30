import { argv } from "node:process";
import { connect } from "../testkit/service/http-client.ts";
import { residentMb, startServer } from "../testkit/service/server-process.ts";
import { requireData } from "./ira.ts";
import { command, summary, table } from "./measure.ts";
import { drawQueries } from "./queries.ts";

/**
 * The queries of bench/search.ts for the newest 100 posts, through the whole service; also the time
 * until it is ready, and its memory after all searches. Needs the folder of bench/import.ts.
 */
requireData();
const dataDir = argv[2];
if (dataDir === undefined) {
  console.error(`usage: ${command()} DATA_FOLDER`);
  process.exit(2);
}
const startupMs: number[] = [];
for (let run = 0; run < 5; run++) {
  const server = await startServer(dataDir, 18_090 + run);
  startupMs.push(server.readyMs);
  await server.stop();
}
const server = await startServer(dataDir, 18_099);
const client = connect(server.base, server.key);
const rows: (string | number)[][] = [];
let searches = 0;
const kinds = await drawQueries(200);
for (const { queries } of kinds) {
  for (const query of queries.slice(0, 50)) await client.result(await client.submit(query, 100));
}
for (const { name, queries } of kinds) {
  const durations: number[] = [];
  for (const query of queries) {
    const start = performance.now();
    await client.result(await client.submit(query, 100));
    durations.push(performance.now() - start);
    searches += 1;
  }
  const { p50, p99 } = summary(durations);
  rows.push([name, p50, p99]);
}
console.log(
  `\n${command()}: submit to fetched result of the newest 100, one client, milliseconds\n`,
);
console.log(table(["kind", "p50", "p99"], rows));
console.log(
  `\nprocess start to the first 200 of /readyz: ${startupMs.map((ms) => ms.toFixed(0)).join(", ")} ms`,
);
console.log(`resident memory after ${searches} searches: ${residentMb(server.pid).toFixed(0)} MB`);
client.close();
await server.stop();
