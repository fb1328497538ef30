import "./state.css";
import { Icon, type IconName } from "./icons.tsx";

const looks = {
  received: ["received", "circle"],
  "in progress": ["progress", "progress"],
  "error(retrying)": ["retrying", "retry"],
  done: ["done", "done"],
  error: ["error", "error"],
  cancelled: ["cancelled", "cancelled"],
  expired: ["expired", "clock"],
} as const satisfies Record<string, readonly [string, IconName]>;

export type JobStateName = keyof typeof looks;

export function State({ state }: { state: JobStateName }) {
  const [look, icon] = looks[state];
  return (
    <span className="state" data-state={look}>
      <Icon name={icon} />
      {state}
    </span>
  );
}
