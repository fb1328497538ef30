import { errorMessage } from "../../lib/errors.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import type { Config } from "../../server/config.ts";
import { type DoctorFinding, ok } from "./finding.ts";

export async function checkNetwork(
  config: Config,
  fetch: GuardedFetch,
  now: () => number,
  signal: AbortSignal,
): Promise<DoctorFinding[]> {
  const probes = await Promise.all(
    listOrigins(config).map((origin) => probeServer(origin, fetch, now, signal)),
  );
  return [...probes.map(({ finding }) => finding), ...clockFindings(probes)];
}

/** `offsetMs`: how far the server's clock is ahead of ours; null if unknown. */
type Probe = { origin: string; offsetMs: number | null; finding: DoctorFinding };

function listOrigins({ ingest, upstreams, mastodonStream, signIn, http }: Config): string[] {
  const urls = [
    ...(ingest.source === "off" ? [] : ingest.urls.slice(0, 1)),
    ...(upstreams.blueskyPublic === "on" ? [ingest.appviewUrl] : []),
    ...(upstreams.mastodonInstance === null ? [] : [upstreams.mastodonInstance]),
    ...(mastodonStream.server === null ? [] : [mastodonStream.server]),
    ...(signIn.githubClientId === null ? [] : [signIn.githubUrl]),
    ...(signIn.gitlabClientId === null ? [] : [signIn.gitlabUrl]),
    ...(http.publicUrl === null ? [] : [http.publicUrl]),
  ];
  return [...new Set(urls.map((url) => new URL(url.replace(/^ws/, "http")).origin))];
}

async function probeServer(
  origin: string,
  fetch: GuardedFetch,
  now: () => number,
  signal: AbortSignal,
): Promise<Probe> {
  const subject = `network: ${new URL(origin).host}`;
  const startMs = now();
  try {
    const { headers } = await fetch(`${origin}/`, { signal, maxBytes: 1_000_000 });
    const endMs = now();
    const serverMs = Date.parse(headers.get("date") ?? "");
    // The Date header is truncated to whole seconds.
    const offsetMs = Number.isNaN(serverMs) ? null : serverMs + 500 - (startMs + endMs) / 2;
    return { origin, offsetMs, finding: ok(subject, `responded in ${endMs - startMs} ms`) };
  } catch (thrown) {
    signal.throwIfAborted();
    const finding: DoctorFinding = {
      level: "warning",
      subject,
      message: errorMessage(thrown),
      fix: "check the host name, DNS, firewall and proxies; searches that use it will fail until it responds",
    };
    return { origin, offsetMs: null, finding };
  }
}

/** Coverage and deadlines depend on the clock. */
const maxOffsetMs = 2_000;

function clockFindings(probes: readonly Probe[]): DoctorFinding[] {
  const offsets = probes.flatMap(({ offsetMs }) => (offsetMs === null ? [] : [offsetMs]));
  if (offsets.length === 0) return [];
  const sortedOffsets = offsets.toSorted((a, b) => a - b);
  const medianMs = sortedOffsets[Math.floor(sortedOffsets.length / 2)] ?? 0;
  if (Math.abs(medianMs) <= maxOffsetMs) return [ok("clock", "agrees with these servers")];
  const seconds = Math.round(Math.abs(medianMs) / 1_000);
  return [
    {
      level: "error",
      subject: "clock",
      message: `the clock is ${seconds} s ${medianMs > 0 ? "slow" : "fast"} compared with these servers`,
      fix: "synchronize the clock (timedatectl set-ntp true, or chrony)",
    },
  ];
}
