import { createPrivateKey } from "node:crypto";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { EarshotError } from "../../../lib/errors.ts";
import { collateralFileName, collateralKeyOf } from "../collateral-service.ts";
import { openQuote } from "../signed-quote.ts";
import { disclaimer } from "./authority.ts";
import { createSimulatedTee, type SimulatedTee, teeOf } from "./simulated-tee.ts";

/** Where the parts of a simulated TEE lie: the first is for nodes, the others are for their gateway. */
export type SimulatedFiles = {
  tee: string;
  root: string;
  collateralFolder: string;
  policy: string;
};

const bytes = (length: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${2 * length}}$`))
    .transform((digits) => Buffer.from(digits, "hex"));

const teeFile = z.object({
  simulated: z.literal(disclaimer),
  compose_hash: z.string().regex(/^[0-9a-f]{64}$/),
  pck_key: z.string().max(4_096),
  chain: z.string().max(32_768),
  td_attributes: bytes(8).optional(),
  xfam: bytes(8).optional(),
  mr_config_id: bytes(48).optional(),
});

/**
 * Makes a simulated TEE and writes it to a folder, which is made too: `tee.json` (readable by its owner alone), `root.pem`,
 * `collateral/` and `policy.json`. What was there before is replaced; the key of the root is written nowhere.
 */
export async function writeSimulatedTee(folder: string, nowMs: number): Promise<SimulatedFiles> {
  const files = {
    tee: join(folder, "tee.json"),
    root: join(folder, "root.pem"),
    collateralFolder: join(folder, "collateral"),
    policy: join(folder, "policy.json"),
  };
  const tee = createSimulatedTee({ nowMs });
  await mkdir(files.collateralFolder, { recursive: true });
  await writeFile(files.root, tee.rootPem);
  await writeJson(files.policy, tee.policy());
  const name = collateralFileName(
    collateralKeyOf(openQuote(tee.quote(Buffer.alloc(64)), tee.rootDer, nowMs)),
  );
  await writeJson(join(files.collateralFolder, name), tee.collateral());
  await writeJson(
    files.tee,
    {
      simulated: disclaimer,
      compose_hash: tee.composeHash,
      pck_key: String(tee.pckKey.export({ type: "pkcs8", format: "pem" })),
      chain: tee.chain,
    },
    0o600,
  );
  return files;
}

/** The simulated TEE of a file `tee.json`, in which `td_attributes`, `xfam` and `mr_config_id` may be set by hand. Errors: `simulated_tee_unreadable`, which never holds what the file says. */
export async function readSimulatedTee(path: string): Promise<SimulatedTee> {
  try {
    const read = teeFile.parse(JSON.parse(await readFile(path, "utf8")));
    const { td_attributes, xfam, mr_config_id } = read;
    return teeOf({
      pckKey: createPrivateKey(read.pck_key),
      chain: read.chain,
      composeHash: read.compose_hash,
      fields: {
        ...(td_attributes && { tdAttributes: td_attributes }),
        ...(xfam && { xfam }),
        ...(mr_config_id && { mrConfigId: mr_config_id }),
      },
    });
  } catch (fault) {
    const isMissing = fault instanceof Error && "code" in fault && fault.code === "ENOENT";
    const reason = isMissing ? "it is not there" : "it is not what `earshot nodes simulate` writes";
    throw new EarshotError(
      "simulated_tee_unreadable",
      `${path} cannot be used as a simulated TEE: ${reason}`,
      {
        hint: "`earshot nodes simulate FOLDER` writes one",
      },
    );
  }
}

async function writeJson(path: string, value: unknown, mode = 0o644): Promise<void> {
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`, { mode });
  // The mode is that of new files alone.
  await chmod(path, mode);
}
