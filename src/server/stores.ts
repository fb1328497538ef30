import type { Archive } from "../archive/archive.ts";
import { openArchive } from "../archive/open.ts";
import type { Clock } from "../lib/clock.ts";
import type { Config } from "./config.ts";
import { type Control, startControl } from "./control.ts";
import { requireStartNeeds } from "./start-needs.ts";

export type Stores = {
  control: Control;
  archive: Archive;
  /** What was damaged and is repaired, for the log. */
  warnings: readonly string[];
};

/** Opens both stores, side by side, their threads with them. When one cannot be opened, the other is closed again. */
export async function openStores(config: Config, clock: Clock): Promise<Stores> {
  const { dir: dataDir, secretKey, ...settings } = config.data;
  await requireStartNeeds(config.data);
  const warnings: string[] = [];
  const onWarning = (message: string): void => {
    warnings.push(message);
  };
  const [control, archive] = await Promise.allSettled([
    startControl({ dataDir, secretKey }),
    openArchive({ dataDir, ...settings, upkeep: "on", clock, onWarning }).then((opened) =>
      warm(opened, settings.readers),
    ),
  ]);
  if (control.status === "fulfilled" && archive.status === "fulfilled") {
    return { control: control.value, archive: archive.value, warnings };
  }
  if (control.status === "fulfilled") await control.value.close();
  if (archive.status === "fulfilled") await archive.value.close();
  throw control.status === "rejected" ? control.reason : faultOf(archive);
}

export async function closeStores({
  control,
  archive,
}: Pick<Stores, "control" | "archive">): Promise<void> {
  await Promise.all([control.close(), archive.close()]);
}

/** Asks one reader something, so that it starts now, and then the others, so that no search waits for their start. */
function warm(archive: Archive, readers: number): Archive {
  const others = Array.from({ length: readers - 1 });
  archive
    .coverage()
    .then(() => Promise.all(others.map(() => archive.coverage())))
    .catch(() => undefined);
  return archive;
}

function faultOf(outcome: PromiseSettledResult<unknown>): unknown {
  return outcome.status === "rejected" ? outcome.reason : null;
}
