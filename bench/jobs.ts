import { argv } from "node:process";
import { connect } from "../test/support/http-client.ts";
import { startServer } from "../test/support/server-process.ts";
import { command, summary } from "./measure.ts";

/**
 * Jobs a second from submission to the fetched result, one client and sixteen; then sixteen with the server killed by -9 in the
 * middle and started again: every accepted job must end. Wants a data folder (bench/import.ts leaves one).
 */
const dataDir = argv[2];
if (dataDir === undefined) {
  console.error(`usage: ${command()} DATA_FOLDER`);
  process.exit(2);
}
const queries = ["trump", "news -fake", "lang:ru", '"the people"', "from:ten_gop"];
const seconds = 5;
const warmUpSeconds = 3;
console.log(
  `${command()}: ${seconds} s each after ${warmUpSeconds} s of the same, five different searches, newest 20\n`,
);
for (const clients of [1, 8, 16, 64]) {
  const server = await startServer(dataDir, 18_070 + clients, {
    EARSHOT_MAX_HELD_REQUESTS: "1000",
  });
  const durations: number[] = [];
  await load(server.base, server.key, clients, warmUpSeconds, () => undefined);
  await load(server.base, server.key, clients, seconds, (ms) => durations.push(ms));
  const { p50, p99 } = summary(durations);
  const rate = durations.length / seconds;
  console.log(
    `${clients} client(s): ${rate.toFixed(0)} jobs/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
  );
  await server.stop();
}
await killed();

async function load(
  base: string,
  key: string,
  clients: number,
  forSeconds: number,
  done: (ms: number) => void,
): Promise<void> {
  const end = performance.now() + forSeconds * 1_000;
  await Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      const client = connect(base, key);
      for (let turn = index; performance.now() < end; turn++) {
        const start = performance.now();
        await client.result(await client.submit(queries[turn % queries.length] ?? "", 20));
        done(performance.now() - start);
      }
      client.close();
    }),
  );
}

async function killed(): Promise<void> {
  const port = 18_060;
  const first = await startServer(dataDir ?? "", port);
  const accepted: string[] = [];
  const submitting = Array.from({ length: 16 }, async (_, index) => {
    const client = connect(first.base, first.key);
    try {
      for (let turn = index; ; turn++)
        accepted.push(await client.submit(queries[turn % queries.length] ?? "", 20));
    } catch {
      client.close();
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  first.child.kill("SIGKILL");
  await Promise.all(submitting);
  const second = await startServer(dataDir ?? "", port + 1);
  const client = connect(second.base, first.key);
  let finished = 0;
  for (const uuid of accepted) {
    const text = await client.result(uuid);
    if (Array.isArray(JSON.parse(text))) finished += 1;
  }
  console.log(
    `kill -9 after 2 s of submitting at 16 clients: ${accepted.length} accepted, ${finished} finished after the restart`,
  );
  client.close();
  await second.stop();
}
