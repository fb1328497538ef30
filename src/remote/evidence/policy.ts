import { createHash, X509Certificate } from "node:crypto";
import * as z from "zod";
import { stripControls } from "../../lib/controls.ts";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import { releaseRule } from "./release-rules.ts";

export const tcbStatuses = [
  "UpToDate",
  "SWHardeningNeeded",
  "ConfigurationNeeded",
  "ConfigurationAndSWHardeningNeeded",
  "OutOfDate",
  "OutOfDateConfigurationNeeded",
  "Revoked",
] as const;

const hexString = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`, "i"), `must be ${bytes * 2} hexadecimal digits`)
    .toLowerCase();

const measurement = hexString(48);
const appMeasurement = z
  .string()
  .toLowerCase()
  .refine((value) => value === "unused" || /^(?=0*[1-9a-f])[0-9a-f]{96}$/.test(value), {
    error:
      'must be 96 hexadecimal digits that are not all zero, or "unused" if no program is measured into it',
  });

const image = z.strictObject({
  name: z.string().min(1).max(128),
  mrtd: measurement,
  rtmr: z.array(measurement).length(3),
  rtmr3: appMeasurement.optional(),
});

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}

const keyProvider = z.strictObject({
  name: z.string().min(1).max(128),
  id: z.string().min(1).max(4_096).optional(),
});

/** SEPT_VE_DISABLE and PKS, in the quote's byte order. */
const defaultTdAttributes = "0000005000000000";
/** x87, SSE, AVX, AVX-512, PKRU, CET and AMX; not PT, LBR or user interrupts. */
const defaultXfam = "e71a060000000000";

const nodePolicy = z.strictObject({
  tcb_status: z.array(z.enum(tcbStatuses).exclude(["Revoked"])).min(1),
  accepted_advisories: z.array(z.string().min(1).max(64)).max(1_000),
  min_tcb_evaluation_number: z.int().min(0),
  images: z.array(image).max(1_000),
  compose_hashes: z.array(hexString(32)).max(1_000),
  key_providers: z.array(keyProvider).max(100),
  platforms: z.array(hexString(16)).max(10_000).nullable(),
  td_attributes: hexString(8).default(defaultTdAttributes),
  xfam: hexString(8).default(defaultXfam),
  mr_config_versions: z.array(z.literal([1, 2, 3])).default([1]),
  credentials: z.array(releaseRule).max(100).optional(),
  simulated_root: z
    .string()
    .max(8_192)
    .refine(isCertificate, "must be a certificate in PEM")
    .optional(),
});

const checkedPolicy = nodePolicy.superRefine((policy, context) => {
  const names = policy.images.map(({ name }) => name);
  for (const [index, { images, compose_hashes: hashes = [] }] of (
    policy.credentials ?? []
  ).entries()) {
    const isAdmitted =
      images.every((other) => names.includes(other)) &&
      hashes.every((hash) => policy.compose_hashes.includes(hash));
    if (isAdmitted) continue;
    const message = "must be an image or compose file of this policy";
    context.addIssue({ code: "custom", path: ["credentials", index], message });
  }
});

export type NodePolicy = z.infer<typeof nodePolicy>;

export function readPolicy(text: string): NodePolicy {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw unreadable([{ message: errorMessage(error), pointer: "" }]);
  }
  const parsed = checkedPolicy.safeParse(json);
  if (parsed.success) return parsed.data;
  throw unreadable(
    parsed.error.issues.slice(0, 20).map((issue) => {
      const pointer = issue.path.map((part) => `/${String(part)}`).join("");
      return { message: `${pointer || "the policy"}: ${issue.message}`, pointer };
    }),
  );
}

export function hashPolicy(policy: NodePolicy | null): string {
  if (policy === null) return "none";
  const fields = Object.entries(policy).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(fields)).digest("base64url").slice(0, 22);
}

function unreadable(issues: readonly { message: string; pointer: string }[]): EarshotError {
  const details = issues.map(({ message, pointer }) => {
    const line = stripControls(message).replaceAll("\n", " ").slice(0, 300);
    return { code: "invalid_value", message: line, pointer };
  });
  const message = `invalid node policy: ${details[0]?.message}`;
  return new EarshotError("policy_unreadable", message, {
    hint: "see docs/attestation.md, or create one for simulated nodes with earshot nodes simulate",
    details,
  });
}
