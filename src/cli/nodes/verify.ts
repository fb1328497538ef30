import { readFile, stat } from "node:fs/promises";
import { type Command, InvalidArgumentError } from "commander";
import type { EvidenceKind } from "../../jobs/result-signature.ts";
import { evidenceKinds } from "../../jobs/result-signature.ts";
import { systemClock } from "../../lib/clock.ts";
import { escapeInvisible } from "../../lib/controls.ts";
import { EarshotError } from "../../lib/errors.ts";
import { collateralFromFolder } from "../../remote/evidence/collateral.ts";
import { type NodePolicy, readPolicy } from "../../remote/evidence/policy.ts";
import type { ExpectedProof } from "../../remote/proof/proof-checks.ts";
import type { ProofStep, ProofVerdict } from "../../remote/proof/verify-proof.ts";
import { verifyProof } from "../../remote/proof/verify-proof.ts";
import { parseTimeOption } from "../parse-values.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { showVerdict } from "./show-verdict.ts";

type Options = {
  policy?: string;
  accept?: readonly EvidenceKind[];
  result?: string;
  job?: string;
  query?: string;
  gatewayKey?: string;
  signedAfter?: number;
  from?: number;
  to?: number;
  firstPage?: true;
  collateral?: string;
  asOf?: number;
  json?: boolean;
};

/** Large, because a proof contains the whole result. */
const maxBytes = 268_435_456;

export function addVerify(program: Command, terminal: Terminal): void {
  program
    .command("verify")
    .description(
      "Verifies a proof from GET …/result/<uuid>/proof, offline and without trusting the gateway " +
        "(docs/attestation.md). Prints what is proven and what is not. Exits with 0 if all checks pass, else 1.",
    )
    .argument("<proof>", "file with the proof, JSON")
    .option(
      "--policy <file>",
      "trusted programs and machines (docs/attestation.md); required for quotes",
    )
    .option(
      "--accept <kinds>",
      "accept simulated, none, or both (comma-separated) in addition to tdx",
      evidenceList,
    )
    .option(
      "--collateral <folder>",
      "use files such as tdx-90c06f000000-platform.json instead of the proof's, as of now unless --as-of is set",
    )
    .option(
      "--as-of <time>",
      "time at which certificates and collateral must be valid; default: the time of the signature",
      parseTimeOption,
    )
    .option("--result <file>", "the fetched result, compared with the signed one")
    .option("--job <uuid>", "expected job")
    .option("--query <query>", "expected query")
    .option("--from <time>", "expected start of the window", parseTimeOption)
    .option("--to <time>", "expected end of the window", parseTimeOption)
    .option("--first-page", "require the first page")
    .option("--gateway-key <key>", "expected gateway key")
    .option("--signed-after <time>", "earliest signing time", parseTimeOption)
    .option(
      "--json",
      "print one JSON object: holds, checks and, for a valid proof, its content and claims",
    )
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot verify proof.json --policy policy.json --result result.json --job <uuid> --query 'cats lang:en' --first-page\n" +
        "  earshot verify proof.json --accept none",
    )
    .action((path: string, options: Options) => verify(path, options, terminal));
}

async function verify(path: string, options: Options, terminal: Terminal): Promise<void> {
  const policy = options.policy === undefined ? null : await getPolicy(options.policy);
  const nowMs = systemClock.now();
  const { collateral, asOf = collateral === undefined ? undefined : nowMs } = options;
  const verdict = await verifyProof(await readContent(path), {
    acceptedKinds: ["tdx", ...(options.accept ?? [])],
    policy,
    nowMs,
    ...(collateral === undefined ? {} : { collateral: collateralFromFolder(collateral) }),
    ...(asOf === undefined ? {} : { asOfMs: asOf }),
    expected: await getExpected(options),
  });
  showVerdict(verdict, options, terminal);
  if (!verdict.holds) throw invalidProof(verdict);
}

function invalidProof({ steps }: ProofVerdict): EarshotError {
  const failedStep = steps.find(({ outcome }) => outcome === "failed");
  const hint = hintFor(failedStep);
  return new EarshotError(
    "proof_refused",
    `the proof is invalid: ${escapeInvisible(failedStep?.message ?? "nothing was checked")}`,
    { status: 422, ...(hint === undefined ? {} : { hint }) },
  );
}

const hints: Readonly<Record<string, string>> = {
  policy_missing: "use --policy with a file that lists the programs and machines you trust",
  simulated_root_missing: "add the root as `simulated_root` to the policy if you trust it",
  kind_not_accepted: "add it to --accept if you need no proof of the machine",
};

const hintFor = (step: ProofStep | undefined): string | undefined => hints[step?.code ?? ""];

async function getExpected(options: Options): Promise<ExpectedProof> {
  const { job, query, gatewayKey, signedAfter, result } = options;
  const { from, to, firstPage } = options;
  return {
    ...(job === undefined ? {} : { job: job.toLowerCase() }),
    ...(query === undefined ? {} : { query }),
    ...(gatewayKey === undefined ? {} : { gatewayKey }),
    ...(signedAfter === undefined ? {} : { signedAfterMs: signedAfter }),
    ...(from === undefined ? {} : { fromMs: from }),
    ...(to === undefined ? {} : { toMs: to }),
    ...(firstPage === undefined ? {} : { isFirstPage: firstPage }),
    ...(result === undefined ? {} : { body: await readContent(result) }),
  };
}

async function getPolicy(path: string): Promise<NodePolicy> {
  return readPolicy((await readContent(path)).toString("utf8"));
}

/** Errors: `file_too_long`, or those of the file system. */
async function readContent(path: string): Promise<Buffer> {
  if ((await stat(path)).size > maxBytes) {
    throw new EarshotError("file_too_long", `${path} is longer than ${maxBytes} bytes`);
  }
  return await readFile(path);
}

function evidenceList(text: string): readonly EvidenceKind[] {
  const names = text.split(",").map((name) => name.trim());
  const unknownName = names.find((name) => !evidenceKinds.some((kind) => kind === name));
  if (unknownName === undefined) return evidenceKinds.filter((kind) => names.includes(kind));
  throw new InvalidArgumentError(
    `Unknown evidence ${JSON.stringify(unknownName)}. Use ${evidenceKinds.join(", ")}.`,
  );
}
