import { withoutControls } from "../../text/controls.ts";
import type { BootFacts, KeyProvider } from "./event-log.ts";
import type { QuoteFacts } from "./evidence.ts";
import type { NodePolicy } from "./policy.ts";
import { refused } from "./refusal.ts";

/** What a policy says of a machine that it admits. */
export type Admission = {
  /** The name that the policy gives the image. */
  image: string;
  /** Whether it names this very machine. */
  isListedPlatform: boolean;
};

/** What the event log of a machine says of its boot. */
type Boot = Pick<BootFacts, "composeHash" | "keyProvider">;

/**
 * Holds what a quote says against a policy. Errors: `evidence_refused` with `tcb_status`, `advisories`,
 * `tcb_evaluation_outdated`, `td_attributes`, `xfam`, `platform_not_listed`, `image_unknown`, `mr_owner`, `mr_owner_config`,
 * `mr_config_id`, `app_not_measured`, `compose_hash_unknown` or `key_provider_unknown`.
 * @param boot null without an event log
 */
export function checkFacts(policy: NodePolicy, facts: QuoteFacts, boot: Boot | null): Admission {
  requireState(policy, facts);
  requireBits("td_attributes", policy.td_attributes, facts.tdAttributes);
  requireBits("xfam", policy.xfam, facts.xfam);
  requireNoOwner(facts);
  const isListedPlatform = isListed(policy, facts);
  const image = imageOf(policy, facts, boot);
  requireConfig(policy, facts.mrConfigId, boot);
  return { image, isListedPlatform };
}

function requireState(policy: NodePolicy, facts: QuoteFacts): void {
  if (facts.tcbEvaluationNumber < policy.min_tcb_evaluation_number) {
    throw refused(
      "tcb_evaluation_outdated",
      `the collateral is of evaluation ${facts.tcbEvaluationNumber}, and the policy asks for ${policy.min_tcb_evaluation_number}`,
    );
  }
  const statuses: readonly string[] = policy.tcb_status;
  if (!statuses.includes(facts.tcbStatus)) {
    throw refused(
      "tcb_status",
      `Intel rates the machine ${facts.tcbStatus}, and the policy takes ${statuses.join(", ")}`,
      "bring firmware, microcode and TDX module of the machine up to date",
    );
  }
  const open = facts.advisories.filter((id) => !policy.accepted_advisories.includes(id));
  if (open.length > 0) {
    throw refused(
      "advisories",
      `of the machine there are advisories that the policy does not accept: ${open.join(", ")}`,
      "bring the machine up to date, or name what is accepted in `accepted_advisories` of the policy",
    );
  }
}

/** Masks and values are 8 bytes in hexadecimal digits, both in the byte order of the quote. */
function requireBits(code: "td_attributes" | "xfam", allowed: string, value: string): void {
  const extra = BigInt(`0x${value}`) & ~BigInt(`0x${allowed}`);
  if (extra === 0n) return;
  throw refused(
    code,
    `the virtual machine has bits of ${registers[code]} that the policy does not allow: ${extra.toString(16).padStart(16, "0")}`,
    `start it without, or add them to \`${code}\` of the policy`,
  );
}

const registers = { td_attributes: "TDATTRIBUTES", xfam: "XFAM" } as const;

/**
 * dstack has MRCONFIGID name what it starts: version 1 is the compose hash itself, 2 and 3 are hashes of it with the app, the
 * key provider and, in 3, the instance. A guest compares it with what it measures and does not boot otherwise, so what counts
 * is the compose hash that was measured; anything else there would be input that nobody has measured.
 */
function requireConfig(policy: NodePolicy, id: string, boot: Boot | null): void {
  if (isZero(id)) return;
  const version = Number.parseInt(id.slice(0, 2), 16);
  const hash = id.slice(2, 66);
  const composeHash = boot?.composeHash ?? (version === 1 ? hash : null);
  const isForm = policy.mr_config_versions.some((taken) => taken === version);
  const isSame = version === 1 ? hash === composeHash : composeHash !== null;
  const isAllowed = composeHash !== null && policy.compose_hashes.includes(composeHash);
  if (isForm && isZero(id.slice(66)) && isSame && isAllowed) return;
  throw refused(
    "mr_config_id",
    isForm
      ? `MRCONFIGID of the quote, version ${version}, is not that of a compose file that the policy names`
      : `MRCONFIGID of the quote has version ${version}, and the policy takes ${policy.mr_config_versions.join(", ") || "none but zero"}`,
  );
}

const isZero = (hex: string): boolean => !/[^0]/.test(hex);

/** The one who starts a virtual machine may put anything there, and what it is read as depends on the image. */
function requireNoOwner(facts: QuoteFacts): void {
  const fields = [
    ["mr_owner", facts.mrOwner],
    ["mr_owner_config", facts.mrOwnerConfig],
  ] as const;
  for (const [code, value] of fields) {
    if (!isZero(value)) {
      throw refused(code, `${code.toUpperCase().replaceAll("_", "")} of the quote is not zero`);
    }
  }
}

function isListed(policy: NodePolicy, facts: QuoteFacts): boolean {
  const { platforms } = policy;
  if (platforms === null) return false;
  const ids = [facts.platformInstanceId, facts.ppid].filter((id) => id !== null);
  if (ids.some((id) => platforms.includes(id))) return true;
  throw refused(
    "platform_not_listed",
    `the policy does not name the machine ${ids.join(" or ") || "without a name"}`,
    "add it to `platforms` of the policy if it is one that you trust",
  );
}

function imageOf(policy: NodePolicy, facts: QuoteFacts, boot: Boot | null): string {
  const [rtmr0, rtmr1, rtmr2, rtmr3] = facts.rtMr;
  const images = policy.images.filter(
    ({ mrtd, rtmr }) =>
      mrtd === facts.mrTd && rtmr[0] === rtmr0 && rtmr[1] === rtmr1 && rtmr[2] === rtmr2,
  );
  if (images.length === 0) {
    throw refused(
      "image_unknown",
      "the policy knows no image with the MRTD and RTMR0 to RTMR2 of the quote",
      "add the measurements of the image to `images` of the policy once you have made it yourself",
    );
  }
  const program = rtmr3 !== undefined && isZero(rtmr3) ? "unused" : rtmr3;
  const whole = images.find((image) => image.rtmr3 !== undefined && image.rtmr3 === program);
  if (whole !== undefined) return whole.name;
  const open = images.find((image) => image.rtmr3 === undefined);
  if (open === undefined || boot === null || boot.composeHash === null) {
    throw refused(
      "app_not_measured",
      "nothing that the policy knows says which program the machine runs",
      "the machine needs an event log with its compose file, or an image whose `rtmr3` the policy names",
    );
  }
  if (!policy.compose_hashes.includes(boot.composeHash)) {
    throw refused(
      "compose_hash_unknown",
      `the policy does not name the compose file ${boot.composeHash} that the machine runs`,
      "add its hash to `compose_hashes` of the policy once you have read the file",
    );
  }
  requireKeyProvider(policy, boot.keyProvider);
  return open.name;
}

/** Whoever gives a machine the keys of its disk can read the disk: the identity key of the node, its archive, its tokens. */
function requireKeyProvider(policy: NodePolicy, provider: KeyProvider | null): void {
  const isNamed = policy.key_providers.some(
    ({ name, id }) => name === provider?.name && (id === undefined || id === provider.id),
  );
  if (isNamed) return;
  const told =
    provider === null
      ? "the machine has measured none that can be read"
      : `the machine has its keys from ${providerText(provider)}`;
  throw refused(
    "key_provider_unknown",
    `the policy does not name who gives the machine the keys of its disk: ${told}`,
    "start the machine with the key service that the policy names, or add this one to `key_providers` of the policy if you trust it",
  );
}

const providerText = ({ name, id }: KeyProvider): string =>
  id === null ? shortText(name) : `${shortText(name)} with the id ${shortText(id)}`;

/** Enough of it for an operator to put it into a policy. */
const shortText = (text: string): string => JSON.stringify(withoutControls(text).slice(0, 256));
