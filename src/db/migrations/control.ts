import { control001 } from "./001-control.ts";

/** The steps of the control database, oldest first. A step that was released is never changed: a new one follows it. */
export const controlMigrations: readonly string[] = [control001];
