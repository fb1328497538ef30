import type { Config } from "../../server/config.ts";
import { type OpenControl, openControl, postgresOptions } from "../../server/control/control.ts";

export type ControlConfig = Pick<Config, "data" | "database">;

export async function withControl<Value>(
  config: ControlConfig,
  use: (control: OpenControl) => Promise<Value>,
): Promise<Value> {
  const control = await openConfiguredControl(config);
  try {
    return await use(control);
  } finally {
    await control.close();
  }
}

export const openConfiguredControl = ({ data, database }: ControlConfig): Promise<OpenControl> =>
  openControl({ dataDir: data.dir, database: postgresOptions(database, "command line") });
