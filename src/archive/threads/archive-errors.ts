import { EarshotError } from "../../lib/errors.ts";

const unspecificCodes: readonly string[] = ["internal", "disk_error"];

/** Errors without a code (disk full, no access, damage) become `archive_unavailable`. */
export async function archiveErrors<Value>(call: Promise<Value>): Promise<Value> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof EarshotError && unspecificCodes.includes(error.code))) throw error;
    throw new EarshotError("archive_unavailable", `the archive is unavailable: ${error.message}`, {
      status: 503,
      retryable: true,
      hint: "check the free space and permissions of the data folder",
      cause: error,
    });
  }
}
