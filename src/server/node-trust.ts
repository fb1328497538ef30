import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Clock } from "../lib/clock.ts";
import { EarshotError, messageOf } from "../lib/errors.ts";
import { createGuard } from "../lib/guard.ts";
import { createGuardedFetch, type GuardedClient, type GuardedFetch } from "../lib/guarded-fetch.ts";
import { type CollateralSource, isInsecure } from "../remote/evidence/evidence.ts";
import { type NodePolicy, policyIdOf, readPolicy } from "../remote/evidence/policy.ts";
import type { EvidenceVerifier } from "../remote/evidence/verify-evidence.ts";
import { callerAudience } from "../remote/protocol/statement.ts";
import { type GatewaySettings, gatewayDefaults } from "../remote/settings.ts";
import { packageVersion } from "./version.ts";

export type NodeTrust = {
  policy: NodePolicy | null;
  verifier: EvidenceVerifier;
  close(): Promise<void>;
};

const noPolicy = "none";
const timeoutMs = 10_000;
const maxBytes = 1_048_576;

/**
 * Reads policy and simulated root. Errors: `policy_unreadable`; `invalid_setting` for an unreadable file, for simulated
 * quotes without root or policy, or for the audience reserved for callers of nodes.
 */
export function openNodeTrust(settings: GatewaySettings, clock: Clock): NodeTrust {
  const { evidence: accepted, policyFile, simulatedRoot } = settings;
  requireOwnName(settings);
  requireForSimulated(settings);
  const policy =
    policyFile === null ? null : readPolicy(contentOf("EARSHOT_NODES_POLICY", policyFile));
  const policyId = policy === null ? noPolicy : policyIdOf(policy);
  const simulatedRootDer = simulatedRoot === null ? null : certificateIn(simulatedRoot);
  const { fetch, close } = lazyFetch(settings.collateralUrl);
  let opening: Promise<EvidenceVerifier> | null = null;

  async function openVerifier(): Promise<EvidenceVerifier> {
    const [{ createEvidenceVerifier }, collateral] = await Promise.all([
      import("../remote/evidence/verify-evidence.ts"),
      collateralOf(settings, fetch, clock),
    ]);
    return createEvidenceVerifier({ accepted, policy, policyId, collateral, simulatedRootDer });
  }

  return {
    policy,
    verifier: {
      policyId,
      // Loaded for the first node; most servers never see one.
      verify: async (...asked) => {
        opening ??= openVerifier().catch((fault: unknown) => {
          // A failed load may succeed later.
          opening = null;
          throw fault;
        });
        return await (await opening).verify(...asked);
      },
    },
    close,
  };
}

async function collateralOf(
  { collateralDir, collateralUrl: url, collateralMaxAgeMs: maxAgeMs }: GatewaySettings,
  fetch: GuardedFetch,
  clock: Clock,
): Promise<CollateralSource> {
  const from = await import("../remote/evidence/collateral.ts");
  return collateralDir === null
    ? from.collateralFromService({ url, fetch, clock, maxAgeMs })
    : from.collateralFromFolder(collateralDir);
}

/** The startup warning of a gateway that accepts evidence which proves nothing; else null. */
export function insecureEvidenceWarning({
  evidence,
}: Pick<GatewaySettings, "evidence">): string | null {
  const kinds = evidence.filter(isInsecure);
  if (kinds.length === 0) return null;
  return `EARSHOT_NODES_EVIDENCE takes ${kinds.join(" and ")}: such nodes prove nothing about the machine that they run on, and every result, health answer and page says so`;
}

/** Refuses the audience for which nodes issue evidence to anyone. */
function requireOwnName({ audience }: GatewaySettings): void {
  if (audience !== callerAudience) return;
  throw new EarshotError(
    "invalid_setting",
    `EARSHOT_NODES_AUDIENCE cannot be ${callerAudience}, which stands for callers of nodes`,
    { hint: "choose another name, or leave it out for its default" },
  );
}

function requireForSimulated({ evidence, simulatedRoot, policyFile }: GatewaySettings): void {
  if (!evidence.includes("simulated")) return;
  const missing = [
    ...(simulatedRoot === null ? ["EARSHOT_NODES_SIMULATED_ROOT"] : []),
    ...(policyFile === null ? ["EARSHOT_NODES_POLICY"] : []),
  ];
  if (missing.length === 0) return;
  throw new EarshotError(
    "invalid_setting",
    `EARSHOT_NODES_EVIDENCE takes simulated, and ${missing.join(" and ")} say nothing to check it against`,
    { hint: "earshot nodes simulate FOLDER writes a root and a policy" },
  );
}

function contentOf(variable: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (fault) {
    throw new EarshotError("invalid_setting", `${variable}: ${messageOf(fault)}`, {
      hint: "name a file that this process may read, or leave it out",
    });
  }
}

function certificateIn(path: string): Uint8Array {
  const pem = contentOf("EARSHOT_NODES_SIMULATED_ROOT", path);
  try {
    return new X509Certificate(pem).raw;
  } catch {
    throw new EarshotError(
      "invalid_setting",
      `EARSHOT_NODES_SIMULATED_ROOT: ${path} holds no certificate in PEM`,
      { hint: "earshot nodes simulate FOLDER writes one as root.pem" },
    );
  }
}

/** A configured collateral service may be private. Opened for the first quote. */
function lazyFetch(url: string): { fetch: GuardedFetch; close: () => Promise<void> } {
  let opened: GuardedClient | null = null;
  const open = () => {
    opened ??= createGuardedFetch({
      guard: createGuard(url === gatewayDefaults.collateralUrl ? [] : [url]),
      userAgent: `earshot/${packageVersion()}`,
      timeoutMs,
      maxBytes,
      maxRedirects: 0,
    });
    return opened;
  };
  return {
    fetch: (...asked) => open()(...asked),
    close: async () => {
      await opened?.close();
    },
  };
}
