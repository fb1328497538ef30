import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { catalogProblem } from "../../archive/catalog/require-current-catalog.ts";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import type { Config } from "../../server/config.ts";
import { openControlForReading } from "../../server/control/control-operations.ts";
import { requireStartResources } from "../../server/start-resources.ts";
import { readDiskSpace } from "../../server/watches/disk.ts";
import { isServerRunning } from "../accounts/secret-key.ts";
import { bytesText } from "../terminal/quantities.ts";
import { type DoctorFinding, ok } from "./finding.ts";

type Data = Config["data"];

export async function checkFolder({ data, database }: Config): Promise<DoctorFinding[]> {
  const dir = resolve(data.dir);
  if (!existsSync(dir)) {
    return [
      {
        level: "warning",
        subject: "data folder",
        message: `${dir} does not exist`,
        fix: "create it with earshot serve or earshot import, or set EARSHOT_DATA_DIR",
      },
    ];
  }
  const stores =
    database.url === null ? [controlFinding(dir), archiveFinding(dir)] : [archiveFinding(dir)];
  return [accessFinding(dir), await spaceFinding({ ...data, dir }), ...stores];
}

function accessFinding(dir: string): DoctorFinding {
  const subject = "data folder";
  try {
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return {
      level: "error",
      subject,
      message: `no read and write access to ${dir}`,
      fix: "run as its owner, or change its owner; check whether its disk is mounted read-only",
    };
  }
  if ((statSync(dir).mode & 0o077) !== 0) {
    return {
      level: "warning",
      subject,
      message: `other users can read ${dir}, which contains posts and encrypted credentials`,
      fix: `chmod 700 ${dir}`,
    };
  }
  return ok(subject, isServerRunning(dir) ? `${dir}, in use by a server` : dir);
}

async function spaceFinding(data: Pick<Data, "dir" | "readers">): Promise<DoctorFinding> {
  try {
    await requireStartResources(data);
  } catch (thrown) {
    return errorFinding("disk and files", thrown);
  }
  const disk = await readDiskSpace(data.dir);
  if (disk === null) return ok("disk and files", "enough");
  const { freeBytes, totalBytes } = disk;
  const message = `${bytesText(freeBytes)} of ${bytesText(totalBytes)} free`;
  if (freeBytes >= minFreeBytes) return ok("disk and files", message);
  return {
    level: "warning",
    subject: "disk and files",
    message,
    fix: "free some space for the archive, results and compaction",
  };
}

const minFreeBytes = 1_000_000_000;

function controlFinding(dir: string): DoctorFinding {
  const subject = "control store";
  if (!existsSync(join(dir, "control.db"))) {
    return ok(subject, "not created yet");
  }
  try {
    openControlForReading(dir).close();
    return ok(subject, "opened; earshot control check verifies it fully");
  } catch (thrown) {
    return errorFinding(subject, thrown);
  }
}

function archiveFinding(dir: string): DoctorFinding {
  const subject = "archive";
  const folder = join(dir, "archive");
  if (!existsSync(folder)) return ok(subject, "not created yet");
  try {
    const problem = catalogProblem(folder);
    if (problem !== null) return errorFinding(subject, problem);
    return ok(subject, "catalog and segments match; earshot archive check verifies them fully");
  } catch (thrown) {
    return errorFinding(subject, thrown);
  }
}

function errorFinding(subject: string, thrown: unknown): DoctorFinding {
  const fix = thrown instanceof EarshotError ? thrown.hint : undefined;
  return {
    level: "error",
    subject,
    message: errorMessage(thrown),
    fix: fix ?? "restore a backup: see Damage in docs/operations.md",
  };
}
