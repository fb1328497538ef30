import type { Config } from "../../server/config.ts";
import { databaseOf, type OpenControl, openControl } from "../../server/control/control.ts";

export type ControlConfig = Pick<Config, "data" | "database">;

export async function withControl<Value>(
  config: ControlConfig,
  use: (control: OpenControl) => Promise<Value>,
): Promise<Value> {
  const control = await openControlOf(config);
  try {
    return await use(control);
  } finally {
    await control.close();
  }
}

export const openControlOf = ({ data, database }: ControlConfig): Promise<OpenControl> =>
  openControl({ dataDir: data.dir, database: databaseOf(database, "command line") });
