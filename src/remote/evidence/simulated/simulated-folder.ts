import { createPrivateKey } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { EarshotError } from "../../../lib/errors.ts";
import { collateralFileName, collateralKey } from "../collateral-service.ts";
import { openQuote } from "../signed-quote.ts";
import { disclaimer } from "./authority.ts";
import { createSimulatedTee, makeTee, type SimulatedTee } from "./simulated-tee.ts";

export type SimulatedFiles = Awaited<ReturnType<typeof writeSimulatedTee>>;

const bytes = (length: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${2 * length}}$`))
    .transform((digits) => Buffer.from(digits, "hex"))
    .optional();

const teeFile = z.object({
  simulated: z.literal(disclaimer),
  compose_hash: z.string().regex(/^[0-9a-f]{64}$/),
  pck_key: z
    .string()
    .max(4_096)
    .transform((pem) => createPrivateKey(pem)),
  chain: z.string().max(32_768),
  td_attributes: bytes(8),
  xfam: bytes(8),
  mr_config_id: bytes(48),
});

/** Only the owner can read `tee.json`; the root's private key is not stored. */
export async function writeSimulatedTee(folder: string, nowMs: number) {
  const files = {
    tee: join(folder, "tee.json"),
    root: join(folder, "root.pem"),
    collateralFolder: join(folder, "collateral"),
    policy: join(folder, "policy.json"),
  };
  const tee = createSimulatedTee({ nowMs });
  const quote = openQuote(tee.quote(Buffer.alloc(64)), tee.rootDer, nowMs);
  const collateralPath = join(files.collateralFolder, collateralFileName(collateralKey(quote)));
  await mkdir(files.collateralFolder, { recursive: true });
  await writeFile(files.root, tee.rootPem);
  await writeFile(files.policy, formatJson(tee.policy()));
  await writeFile(collateralPath, formatJson(tee.collateral()));
  const secret = {
    simulated: disclaimer,
    compose_hash: tee.composeHash,
    pck_key: String(tee.pckKey.export({ type: "pkcs8", format: "pem" })),
    chain: tee.chain,
  };
  // The mode affects new files only.
  await rm(files.tee, { force: true });
  await writeFile(files.tee, formatJson(secret), { mode: 0o600 });
  return files;
}

/** `td_attributes`, `xfam` and `mr_config_id` can be edited by hand. */
export async function readSimulatedTee(path: string): Promise<SimulatedTee> {
  try {
    const parsed = teeFile.parse(JSON.parse(await readFile(path, "utf8")));
    const { td_attributes: tdAttributes, xfam, mr_config_id: mrConfigId } = parsed;
    return makeTee({
      pckKey: parsed.pck_key,
      chain: parsed.chain,
      composeHash: parsed.compose_hash,
      fields: {
        ...(tdAttributes && { tdAttributes }),
        ...(xfam && { xfam }),
        ...(mrConfigId && { mrConfigId }),
      },
    });
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const reason = isMissing ? "it does not exist" : "it was not written by earshot nodes simulate";
    const message = `${path} is not a simulated TEE: ${reason}`;
    throw new EarshotError("simulated_tee_unreadable", message, {
      hint: "create one with earshot nodes simulate FOLDER, and copy it to the node's data folder",
    });
  }
}

const formatJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
