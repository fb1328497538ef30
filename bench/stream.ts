import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv } from "node:process";
import { parseArgs } from "node:util";
import type { ServerProcess } from "../testkit/service/server-process.ts";
import { makeSlowDisk } from "../testkit/service/slow-disk.ts";
import {
  foundTexts,
  type StreamSample,
  startSimulatedStream,
  takeSample,
} from "../testkit/upstreams/simulated-stream.ts";
import { command, table } from "./measure.ts";

/**
 * Runs at the highest rate of Jetstream's simulator: events per second, lag, memory. Then a second
 * service replays everything. Both must store what Jetstream has. `--fsync-ms` slows every fsync of
 * the services.
 */
const { values } = parseArgs({
  args: argv.slice(2),
  options: {
    seconds: { type: "string", default: "30" },
    "fsync-ms": { type: "string", default: "0" },
    accounts: { type: "string", default: "200" },
    rows: { type: "string", default: "20" },
  },
});
const seconds = Number(values.seconds);
const fsyncMs = Number(values["fsync-ms"]);
const folder = mkdtempSync(join(tmpdir(), "earshot-bench-stream-"));
const disk = fsyncMs > 0 ? makeSlowDisk(folder, fsyncMs) : null;
const settings = disk?.environment ?? {};
type Sample = StreamSample & { second: number };

console.log(`\n${command()}`);
const stream = await startSimulatedStream(folder, { accounts: Number(values.accounts), seed: 42 });
const live = await stream.startService("live", settings);
await stream.startTraffic();
const liveSamples = await samplesUntil(live, (second) => second >= seconds);
await stream.endTraffic();
print("live", liveSamples);
const totalEvents = (await samplesUntil(live, isQuiet())).at(-1)?.events ?? 0;
const { posts } = await stream.jetstreamPosts();
await compare(live);
await live.stop();

const replayService = await stream.startService("replay", settings);
const isCaughtUp = (_: number, { events, waiting }: StreamSample): boolean =>
  events >= totalEvents && waiting === 0;
const replaySamples = await samplesUntil(replayService, isCaughtUp, 100);
print("replay of everything that Jetstream stored", replaySamples);
await samplesUntil(replayService, isQuiet());
await compare(replayService);
await stream.close();
rmSync(folder, { recursive: true, force: true });

async function samplesUntil(
  service: ServerProcess,
  isEnd: (second: number, sample: StreamSample) => boolean,
  everyMs = 1_000,
): Promise<Sample[]> {
  const startedMs = performance.now();
  const samples: Sample[] = [];
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    const sample = await takeSample(service);
    const second = (performance.now() - startedMs) / 1_000;
    samples.push({ second, ...sample });
    if (isEnd(second, sample)) return samples;
  }
}

function isQuiet(): (second: number, sample: StreamSample) => boolean {
  let quietSamples = 0;
  let previousEvents = -1;
  return (_, { events }) => {
    quietSamples = events === previousEvents ? quietSamples + 1 : 0;
    previousEvents = events;
    return quietSamples === 5;
  };
}

/** Rates cover the time since the previous row. */
function print(title: string, samples: readonly Sample[]): void {
  const stride = Math.max(1, Math.floor(samples.length / Number(values.rows)));
  const shownSamples = samples.filter((_, index) => index % stride === stride - 1);
  const rows = shownSamples.map((sample, index) => {
    const previous = shownSamples[index - 1] ?? { events: 0, second: 0 };
    const rate = (sample.events - previous.events) / (sample.second - previous.second);
    return [
      sample.second.toFixed(1),
      String(sample.events),
      rate.toFixed(0),
      sample.lagSeconds.toFixed(1),
      String(sample.waiting),
      sample.residentMb.toFixed(0),
    ];
  });
  const last = samples.at(-1);
  const maxMb = Math.max(...samples.map((sample) => sample.residentMb));
  console.log(`\n${title}\n`);
  console.log(table(["s", "events", "events/s", "lag s", "waiting", "RSS MB"], rows));
  console.log(
    `\n${last?.events} events in ${last?.second.toFixed(1)} s: ${((last?.events ?? 0) / (last?.second ?? 1)).toFixed(0)} per second; ` +
      `RSS at most ${maxMb.toFixed(0)} MB${disk === null ? "" : `; ${disk.calls()} fsyncs so far, each ${fsyncMs} ms slower`}`,
  );
}

async function compare(service: ServerProcess): Promise<void> {
  const storedTexts = await foundTexts(service);
  const missingCount = [...posts].filter(([uri, text]) => storedTexts.get(uri) !== text).length;
  const extraCount = [...storedTexts.keys()].filter((uri) => !posts.has(uri)).length;
  console.log(
    `\n${posts.size} posts stored by Jetstream: ${missingCount} missing or different, ${extraCount} extra`,
  );
}
