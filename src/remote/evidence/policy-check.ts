/**
 * dstack 0.5.2 and later set MRCONFIGID. Its versions 2 and 3 depend on the release and are not
 * recomputed; the measured guest checks them before it boots.
 */

import { stripControls } from "../../lib/controls.ts";
import type { BootFacts, KeyProvider } from "./event-log.ts";
import type { QuoteFacts } from "./evidence.ts";
import type { NodePolicy } from "./policy.ts";
import { refused } from "./refusal.ts";

type Boot = Pick<BootFacts, "composeHash" | "keyProvider">;

export function checkPolicy(
  policy: NodePolicy,
  facts: QuoteFacts,
  boot: Boot | null,
): { image: string; isListedPlatform: boolean } {
  requireState(policy, facts);
  requireBits("td_attributes", policy.td_attributes, facts.tdAttributes);
  requireBits("xfam", policy.xfam, facts.xfam);
  // The host controls these, and their meaning depends on the image.
  if (!isZero(facts.mrOwner)) throw refused("mr_owner", "the quote's MROWNER is not zero");
  if (!isZero(facts.mrOwnerConfig)) {
    throw refused("mr_owner_config", "the quote's MROWNERCONFIG is not zero");
  }
  const isListedPlatform = isListed(policy, facts);
  const image = policyImage(policy, facts, boot);
  requireConfig(policy, facts.mrConfigId, boot);
  return { image, isListedPlatform };
}

function requireState(policy: NodePolicy, facts: QuoteFacts): void {
  if (facts.tcbEvaluationNumber < policy.min_tcb_evaluation_number) {
    throw refused(
      "tcb_evaluation_outdated",
      `the collateral has evaluation number ${facts.tcbEvaluationNumber}, but the policy requires ${policy.min_tcb_evaluation_number}`,
    );
  }
  const statuses: readonly string[] = policy.tcb_status;
  if (!statuses.includes(facts.tcbStatus)) {
    throw refused(
      "tcb_status",
      `Intel rates the machine ${facts.tcbStatus}, but the policy accepts ${statuses.join(", ")}`,
    );
  }
  const unacceptedAdvisories = facts.advisories.filter(
    (id) => !policy.accepted_advisories.includes(id),
  );
  if (unacceptedAdvisories.length > 0) {
    throw refused(
      "advisories",
      `the machine has advisories that the policy does not accept: ${unacceptedAdvisories.join(", ")}`,
      "update the machine, or add them to the policy's `accepted_advisories`",
    );
  }
}

function requireBits(code: "td_attributes" | "xfam", allowed: string, value: string): void {
  const extraBits = BigInt(`0x${value}`) & ~BigInt(`0x${allowed}`);
  if (extraBits === 0n) return;
  const register = code === "xfam" ? "XFAM" : "TDATTRIBUTES";
  throw refused(
    code,
    `the policy does not allow these ${register} bits: ${extraBits.toString(16).padStart(16, "0")}`,
    `start the virtual machine without them, or add them to the policy's \`${code}\``,
  );
}

/**
 * Version 1 is the compose hash; versions 2 and 3 hash it with the app, key provider and instance.
 * The guest boots only if it matches, so the measured compose hash decides.
 */
function requireConfig(policy: NodePolicy, id: string, boot: Boot | null): void {
  if (isZero(id)) return;
  const version = Number.parseInt(id.slice(0, 2), 16);
  const hash = id.slice(2, 66);
  const composeHash = boot?.composeHash ?? (version === 1 ? hash : null);
  const isAcceptedVersion = policy.mr_config_versions.some((accepted) => accepted === version);
  const isSameHash = version === 1 ? hash === composeHash : composeHash !== null;
  const isAllowed = composeHash !== null && policy.compose_hashes.includes(composeHash);
  if (isAcceptedVersion && isZero(id.slice(66)) && isSameHash && isAllowed) return;
  throw refused(
    "mr_config_id",
    isAcceptedVersion
      ? `the quote's MRCONFIGID, version ${version}, does not match a compose file in the policy`
      : `the quote's MRCONFIGID has version ${version}, but the policy accepts ${policy.mr_config_versions.join(", ") || "only zero"}`,
  );
}

const isZero = (hex: string): boolean => !/[^0]/.test(hex);

function isListed({ platforms }: NodePolicy, facts: QuoteFacts): boolean {
  if (platforms === null) return false;
  const ids = [facts.platformInstanceId, facts.ppid].filter((id) => id !== null);
  if (ids.some((id) => platforms.includes(id))) return true;
  throw refused(
    "platform_not_listed",
    `the policy does not list the machine ${ids.join(" or ") || "without an id"}`,
    "add it to the policy's `platforms` if you trust it",
  );
}

function policyImage(policy: NodePolicy, facts: QuoteFacts, boot: Boot | null): string {
  const [rtmr0, rtmr1, rtmr2, rtmr3 = ""] = facts.rtMr;
  const images = policy.images.filter(
    ({ mrtd, rtmr }) =>
      mrtd === facts.mrTd && rtmr[0] === rtmr0 && rtmr[1] === rtmr1 && rtmr[2] === rtmr2,
  );
  if (images.length === 0) {
    throw refused(
      "image_unknown",
      "no image in the policy has the quote's MRTD and RTMR0 to RTMR2",
      "add the measurements to the policy's `images` after building the image yourself",
    );
  }
  const program = rtmr3 !== "" && isZero(rtmr3) ? "unused" : rtmr3;
  const imageWithProgram = images.find((image) => image.rtmr3 === program);
  if (imageWithProgram !== undefined) return imageWithProgram.name;
  const imageWithoutProgram = images.find((image) => image.rtmr3 === undefined);
  const composeHash = boot?.composeHash ?? null;
  if (imageWithoutProgram === undefined || boot === null || composeHash === null) {
    throw refused(
      "app_not_measured",
      "the evidence does not identify the program",
      "provide an event log with the compose file, or use an image with `rtmr3` in the policy",
    );
  }
  if (!policy.compose_hashes.includes(composeHash)) {
    throw refused(
      "compose_hash_unknown",
      `the policy does not list the machine's compose file ${composeHash}`,
      "add its hash to the policy's `compose_hashes` after reading the file",
    );
  }
  requireKeyProvider(policy, boot.keyProvider);
  return imageWithoutProgram.name;
}

/** A key provider can decrypt the disk, with the identity key, archive and tokens. */
function requireKeyProvider(policy: NodePolicy, provider: KeyProvider | null): void {
  const isNamed = policy.key_providers.some(
    ({ name, id }) => name === provider?.name && (id === undefined || id === provider.id),
  );
  if (isNamed) return;
  const id = provider?.id == null ? "" : ` with the id ${shortText(provider.id)}`;
  throw refused(
    "key_provider_unknown",
    provider === null
      ? "the machine measured no readable disk key provider, but the policy requires one"
      : `the policy does not list the key provider ${shortText(provider.name)}${id}`,
    "use a key provider that the policy lists, or add this one to the policy's `key_providers`",
  );
}

const shortText = (text: string): string => JSON.stringify(stripControls(text).slice(0, 256));
