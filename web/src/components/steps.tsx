import "./steps.css";
import type { ReactNode } from "preact/compat";
import { once } from "../../../src/lib/once.ts";
import { Icon, type IconName } from "./icons.tsx";
import { exactTime } from "./time.tsx";

export type Step = {
  icon: IconName;
  text: ReactNode;
  detail?: ReactNode;
  /** ISO time; null if unknown. */
  at: string | null;
  tone?: "caution" | "danger";
};

const clock = once(
  () =>
    new Intl.DateTimeFormat(undefined, {
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      fractionalSecondDigits: 3,
      hourCycle: "h23",
    }),
);

export function Steps({ steps }: { steps: readonly (Step & { name: string })[] }) {
  return (
    <ol className="steps">
      {steps.map(({ name, icon, text, detail, at, tone }) => (
        <li key={name} data-tone={tone}>
          <Icon name={icon} />
          <span>
            {text}
            {detail === undefined ? null : (
              <>
                <br />
                <span className="quiet">{detail}</span>
              </>
            )}
          </span>
          {at === null ? null : (
            <time dateTime={at} title={exactTime(at)}>
              {clock().format(new Date(at))}
            </time>
          )}
        </li>
      ))}
    </ol>
  );
}
