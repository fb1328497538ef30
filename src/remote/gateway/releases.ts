import type { Lease } from "../../jobs/leases/lease.ts";
import type { Clock } from "../../lib/clock.ts";
import { isSearch } from "../../platforms/methods.ts";
import type { ReleasedCredential } from "../../upstream/credentials/release.ts";
import { type Capability, requestedPlatforms } from "../capability.ts";
import type { VerifiedEvidence } from "../evidence/evidence.ts";
import type { Release } from "../evidence/release-rules.ts";
import type { JobEnvelope } from "../protocol/messages.ts";
import type { GatewayWork } from "./context.ts";
import type { NodeEvents } from "./node-events.ts";
import type { Run, Runs } from "./runs.ts";

export type ReleaseSource = {
  releasesFor(evidence: VerifiedEvidence): readonly Release[];
  capabilities(): readonly Capability[];
  credentialFor(
    work: GatewayWork,
    accountId: string,
    release: Release,
  ): Promise<ReleasedCredential | null>;
  onRelease(credential: ReleasedCredential): void;
};

export type Releases = ReturnType<typeof createReleases>;

/** Releases credentials for one job at a time, to runs whose current attestation permits it. */
export function createReleases({
  releaseSource,
  clock,
  runs,
  events,
}: {
  releaseSource?: ReleaseSource;
  clock: Clock;
  runs: Runs;
  events: NodeEvents;
}) {
  const recordedReleases = new WeakMap<Run, Set<string>>();

  const allowedTo = (run: Run): readonly Release[] => (runs.isLive(run) ? run.releases : []);

  /** Records a release once per attestation and credential, because jobs may be frequent. */
  function recordRelease(run: Run, attestation: string, credential: ReleasedCredential): void {
    const { id, platform, owner } = credential;
    const recordedDetails = recordedReleases.get(run) ?? new Set();
    const detail = `${platform} credential ${id} (${owner}), attestation ${attestation}`;
    if (recordedDetails.has(detail)) return;
    recordedReleases.set(run, recordedDetails.add(detail));
    events.record(run.nodeId, "credential_released", detail);
  }

  return {
    allowedBy: (evidence: VerifiedEvidence): readonly Release[] =>
      releaseSource?.releasesFor(evidence) ?? [],

    capabilities: (run: Run): readonly Capability[] => {
      const platforms = allowedTo(run).map(({ platform }) => platform);
      if (releaseSource === undefined || platforms.length === 0) return [];
      return releaseSource.capabilities().filter(({ platform }) => platforms.includes(platform));
    },

    /** The reach with the account's own credential; 0 if that is not released. */
    reachOfOwnCredential: (run: Run, work: GatewayWork): number => {
      const [platform, ...others] = requestedPlatforms(work);
      const isReleased = allowedTo(run).some(
        (release) => release.platform === platform && release.owner === "any",
      );
      if (!isReleased || others.length > 0) return 0;
      return isSearch(work.method) ? 1 : 2;
    },

    release: async (
      run: Run,
      { work, accountId, remainingMs }: Lease<GatewayWork>,
    ): Promise<{ credential: ReleasedCredential; release: JobEnvelope["release"] } | null> => {
      const platforms = requestedPlatforms(work);
      const isRequested = ({ platform }: Release) => platforms.includes(platform);
      const allowedRelease = allowedTo(run).find(isRequested);
      if (releaseSource === undefined || allowedRelease === undefined) return null;
      const credential = await releaseSource.credentialFor(work, accountId, allowedRelease);
      const attestation = [...run.attestations.keys()].at(-1);
      // The attestation may have changed during the read.
      const isAllowed = allowedTo(run).find(isRequested)?.owner === allowedRelease.owner;
      if (credential === null || attestation === undefined || !isAllowed) return null;
      recordRelease(run, attestation, credential);
      releaseSource.onRelease(credential);
      const expiresAtMs = clock.now() + Math.min(remainingMs, run.validUntilMs - clock.elapsed());
      return { credential, release: { attestation, expires_at: Math.floor(expiresAtMs / 1_000) } };
    },
  };
}
