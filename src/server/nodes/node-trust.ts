import { readFileSync } from "node:fs";
import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import { createGuard } from "../../lib/guard.ts";
import {
  createGuardedFetch,
  type GuardedClient,
  type GuardedFetch,
} from "../../lib/guarded-fetch.ts";
import { type CollateralSource, isInsecure } from "../../remote/evidence/evidence.ts";
import { type NodePolicy, readPolicy } from "../../remote/evidence/policy.ts";
import type { EvidenceVerifier } from "../../remote/evidence/verify-evidence.ts";
import {
  collateralMaxAgeMs,
  type GatewaySettings,
  gatewayDefaults,
} from "../../remote/settings.ts";
import { packageVersion } from "../version.ts";

export type NodeTrust = {
  policy: NodePolicy | null;
  verify: EvidenceVerifier;
  close(): Promise<void>;
};

const timeoutMs = 10_000;
const maxBytes = 1_048_576;

/**
 * Errors: `policy_unreadable`; `invalid_setting` for an unreadable file, or simulated evidence
 * without a root in the policy.
 */
export function openNodeTrust(settings: GatewaySettings, clock: Clock): NodeTrust {
  const { evidence: acceptedKinds, policyFile } = settings;
  const policy =
    policyFile === null ? null : readPolicy(readContent("EARSHOT_NODES_POLICY", policyFile));
  requireSimulatedRoot(acceptedKinds, policy);
  const { fetch, close } = lazyFetch(settings.collateral);
  let pendingVerifier: Promise<EvidenceVerifier> | null = null;

  async function openVerifier(): Promise<EvidenceVerifier> {
    const [{ createEvidenceVerifier }, collateral] = await Promise.all([
      import("../../remote/evidence/verify-evidence.ts"),
      fetchCollateral(settings, fetch, clock),
    ]);
    return createEvidenceVerifier({ acceptedKinds, policy, collateral });
  }

  return {
    policy,
    // Loaded on demand: most servers never see a node.
    verify: async (...args) => {
      pendingVerifier ??= openVerifier().catch((error: unknown) => {
        // A failed load may succeed later.
        pendingVerifier = null;
        throw error;
      });
      return await (await pendingVerifier)(...args);
    },
    close,
  };
}

async function fetchCollateral(
  { collateral }: GatewaySettings,
  fetch: GuardedFetch,
  clock: Clock,
): Promise<CollateralSource> {
  const sources = await import("../../remote/evidence/collateral.ts");
  return isUrl(collateral)
    ? sources.collateralFromService({ url: collateral, fetch, clock, maxAgeMs: collateralMaxAgeMs })
    : sources.collateralFromFolder(collateral);
}

/** Null unless the gateway accepts evidence that proves nothing. */
export function insecureEvidenceWarning({
  evidence,
}: Pick<GatewaySettings, "evidence">): string | null {
  const kinds = evidence.filter(isInsecure);
  if (kinds.length === 0) return null;
  return `EARSHOT_NODES_EVIDENCE accepts ${kinds.join(" and ")}: such nodes prove nothing about their machines, as every result, health response and page states`;
}

const isUrl = (collateral: string): boolean => /^https?:\/\//.test(collateral);

function requireSimulatedRoot(
  acceptedKinds: readonly EvidenceKind[],
  policy: NodePolicy | null,
): void {
  if (!acceptedKinds.includes("simulated") || policy?.simulated_root !== undefined) return;
  throw new EarshotError(
    "invalid_setting",
    "EARSHOT_NODES_EVIDENCE accepts simulated, but EARSHOT_NODES_POLICY has no `simulated_root`",
    { hint: "create such a policy with earshot nodes simulate FOLDER" },
  );
}

function readContent(variable: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new EarshotError("invalid_setting", `${variable}: ${errorMessage(error)}`, {
      hint: "use a file that this process can read, or unset it",
    });
  }
}

/** A configured collateral service may be in a private network. */
function lazyFetch(url: string): { fetch: GuardedFetch; close: () => Promise<void> } {
  let client: GuardedClient | null = null;
  const open = () => {
    client ??= createGuardedFetch({
      guard: createGuard(url === gatewayDefaults.collateral ? [] : [url]),
      userAgent: `earshot/${packageVersion()}`,
      timeoutMs,
      maxBytes,
      maxRedirects: 0,
    });
    return client;
  };
  return {
    fetch: (...args) => open()(...args),
    close: async () => {
      await client?.close();
    },
  };
}
