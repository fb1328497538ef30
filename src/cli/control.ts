import { type OpenControl, openControl } from "../server/control.ts";

/** Works beside a running server. */
export function withControl<Value>(dataDir: string, use: (control: OpenControl) => Value): Value {
  const control = openControl(dataDir);
  try {
    return use(control);
  } finally {
    control.close();
  }
}
