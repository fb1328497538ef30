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
  allowed(verified: VerifiedEvidence): readonly Release[];
  capabilities(): readonly Capability[];
  credentialFor(
    work: GatewayWork,
    accountId: string,
    release: Release,
  ): Promise<ReleasedCredential | null>;
  onRelease(credential: ReleasedCredential): void;
};

/** Releases credentials for one job at a time, to runs whose current attestation permits it. */
export class Releases {
  readonly #context: ReleasesContext;
  readonly #noted = new WeakMap<Run, Set<string>>();

  constructor(context: ReleasesContext) {
    this.#context = context;
  }

  allowedBy(verified: VerifiedEvidence): readonly Release[] {
    return this.#context.releases?.allowed(verified) ?? [];
  }

  capabilities(run: Run): readonly Capability[] {
    const platforms = this.#allowed(run).map(({ platform }) => platform);
    if (platforms.length === 0) return [];
    const all = this.#context.releases?.capabilities() ?? [];
    return all.filter(({ platform }) => platforms.includes(platform));
  }

  /** For the account's own credential; 0 if not releasable. */
  reachOfKept(run: Run, work: GatewayWork): number {
    const [platform, ...others] = requestedPlatforms(work);
    const isReleased = this.#allowed(run).some(
      (one) => one.platform === platform && one.owner === "any",
    );
    if (!isReleased || others.length > 0) return 0;
    return isSearch(work.method) ? 1 : 2;
  }

  async release(
    run: Run,
    { work, accountId, leftMs }: Lease<GatewayWork>,
  ): Promise<{ credential: ReleasedCredential; release: JobEnvelope["release"] } | null> {
    const { releases, clock } = this.#context;
    const platforms = requestedPlatforms(work);
    const isFor = ({ platform }: Release) => platforms.includes(platform);
    const allowed = this.#allowed(run).find(isFor);
    if (releases === undefined || allowed === undefined) return null;
    const credential = await releases.credentialFor(work, accountId, allowed);
    const attestation = [...run.attestations.keys()].at(-1);
    // The attestation may have changed during the read.
    const isAllowed = this.#allowed(run).find(isFor)?.owner === allowed.owner;
    if (credential === null || attestation === undefined || !isAllowed) return null;
    this.#note(run, attestation, credential);
    releases.onRelease(credential);
    const untilMs = clock.now() + Math.min(leftMs, run.untilMs - clock.elapsed());
    return { credential, release: { attestation, expires_at: Math.floor(untilMs / 1_000) } };
  }

  #allowed(run: Run): readonly Release[] {
    return this.#context.runs.isLive(run) ? run.releases : [];
  }

  /** Once per attestation and credential: jobs may be frequent. */
  #note(run: Run, attestation: string, { id, platform, owner }: ReleasedCredential): void {
    const noted = this.#noted.get(run) ?? new Set();
    const detail = `${platform} credential ${id} (${owner}), attestation ${attestation}`;
    if (noted.has(detail)) return;
    this.#noted.set(run, noted.add(detail));
    this.#context.events.note(run.nodeId, "credential_released", detail);
  }
}

type ReleasesContext = { releases?: ReleaseSource; clock: Clock } & {
  runs: Runs;
  events: NodeEvents;
};
