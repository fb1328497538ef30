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
 * Holds what a quote says against a policy. Errors: `quote_refused` with `not_tdx`, `debug`, `tcb_status`, `advisories`,
 * `tcb_evaluation_outdated`, `platform_not_listed`, `image_unknown`, `mr_config_id`, `mr_owner`, `mr_owner_config`,
 * `app_not_measured`, `compose_hash_unknown` or `key_provider_unknown`.
 * @param boot null without an event log
 */
export function checkFacts(policy: NodePolicy, facts: QuoteFacts, boot: Boot | null): Admission {
  if (facts.tee !== "tdx") throw refused("not_tdx", "the quote is not that of a TDX machine");
  requireState(policy, facts);
  requireEmpty(facts);
  const isListedPlatform = isListed(policy, facts);
  return { image: imageOf(policy, facts, boot), isListedPlatform };
}

function requireState(policy: NodePolicy, facts: QuoteFacts): void {
  if (!facts.tdAttributes.startsWith("00")) {
    throw refused(
      "debug",
      "the virtual machine can be debugged: its operator can read all that is in it",
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
  if (facts.tcbEvaluationNumber < policy.min_tcb_evaluation_number) {
    throw refused(
      "tcb_evaluation_outdated",
      `the collateral is of evaluation ${facts.tcbEvaluationNumber}, and the policy asks for ${policy.min_tcb_evaluation_number}`,
    );
  }
}

/** Whoever starts a virtual machine may put anything there, and what it is read as depends on the image. */
function requireEmpty(facts: QuoteFacts): void {
  const fields = [
    ["mr_config_id", facts.mrConfigId],
    ["mr_owner", facts.mrOwner],
    ["mr_owner_config", facts.mrOwnerConfig],
  ] as const;
  for (const [code, value] of fields) {
    if (/[^0]/.test(value)) {
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
  const whole = images.find((image) => image.rtmr3 !== undefined && image.rtmr3 === rtmr3);
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
