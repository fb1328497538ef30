import { createPrivateKey } from "node:crypto";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { EarshotError } from "../../../lib/errors.ts";
import { collateralFileName, collateralKeyOf } from "../collateral-key.ts";
import { disclaimer } from "./certificate-writer.ts";
import { createSimulatedTee, type SimulatedTee, teeOf } from "./simulated-tee.ts";

/** Where the parts of a simulated TEE lie: the first is for nodes, the others are for their gateway. */
export type SimulatedFiles = {
  tee: string;
  root: string;
  collateralFolder: string;
  policy: string;
};

const teeFile = z.object({
  simulated: z.literal(disclaimer),
  compose_hash: z.string().regex(/^[0-9a-f]{64}$/),
  pck_key: z.string().max(4_096),
  chain: z.string().max(32_768),
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
  const name = collateralFileName(collateralKeyOf(tee.quote(Buffer.alloc(64))));
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

/** The simulated TEE of a file `tee.json`. Errors: `simulated_tee_unreadable`, which never holds what the file says. */
export async function readSimulatedTee(path: string): Promise<SimulatedTee> {
  try {
    const { pck_key, chain, compose_hash } = teeFile.parse(
      JSON.parse(await readFile(path, "utf8")),
    );
    return teeOf({ pckKey: createPrivateKey(pck_key), chain, composeHash: compose_hash });
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
