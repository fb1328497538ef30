import { withoutControls } from "../../text/controls.ts";

/** What a node says of itself, as one line for people; `otherwise` where nothing is left of it. */
export function oneLine(text: string, otherwise: string): string {
  const line = withoutControls(text).replaceAll(/\s+/gu, " ").trim();
  return line === "" ? otherwise : line;
}
