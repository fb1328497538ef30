import { Presets, SingleBar } from "cli-progress";
import type { Terminal } from "./terminal.ts";

export type Progress = {
  /** `total` is null if unknown. */
  update(done: number, total: number | null, detail: string): void;
  end(): void;
};

const silentProgress: Progress = { update: () => undefined, end: () => undefined };

/** Shows nothing if standard error is a file or a pipe. */
export function startProgress(terminal: Terminal, title: string): Progress {
  if (!terminal.interactiveNotes) return silentProgress;
  const bar = new SingleBar(
    {
      format: `${title} {bar} {percentage} % {detail}`,
      stream: process.stderr,
      clearOnComplete: true,
      hideCursor: true,
      fps: 5,
    },
    Presets.shades_classic,
  );
  bar.start(1, 0, { detail: "" });
  return {
    update: (done, total, detail) => {
      bar.setTotal(total ?? done * 2);
      bar.update(done, { detail });
    },
    end: () => bar.stop(),
  };
}
