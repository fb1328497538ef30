import { spawnSync } from "node:child_process";

export type Container = {
  exec(command: readonly string[], input?: string | Buffer): CommandResult;
  /** 0 means healthy. */
  checkHealth(): number | null;
  stop(): number;
  logs(): string;
};

type CommandResult = { status: number | null; stdout: string; stderr: string };

/** An image in the storage of CONTAINERS_STORAGE_CONF. */
export type Image = {
  digest: string;
  start(settings: Readonly<Record<string, string>>, mounts: readonly string[]): Container;
  remove(): void;
};

export function openImage(name: string): Image {
  const containers: string[] = [];
  // As in deploy/README.md.
  const restrictions = ["--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"];
  const options = [...restrictions, "--tmpfs=/tmp", "--init", "--detach"];
  return {
    digest: runPodman(["image", "inspect", "--format={{.Digest}}", name]),
    start: (settings, mounts) => {
      const environment = Object.entries(settings).map(([key, value]) => `--env=${key}=${value}`);
      const volumes = mounts.map((mount) => `--volume=${mount}`);
      const id = runPodman(["run", ...options, ...environment, ...volumes, name]);
      containers.push(id);
      return makeContainer(id);
    },
    remove: () => {
      for (const id of containers) podman(["rm", "--force", "--time=0", "--volumes", id]);
    },
  };
}

function makeContainer(id: string): Container {
  return {
    exec: (command, input) => podman(["exec", "--interactive", id, ...command], input),
    checkHealth: () => podman(["healthcheck", "run", id]).status,
    stop: () => {
      runPodman(["stop", "--time=30", id]);
      return Number(runPodman(["inspect", "--format={{.State.ExitCode}}", id]));
    },
    logs: () => {
      const { stdout, stderr } = podman(["logs", id]);
      return `${stdout}${stderr}`;
    },
  };
}

function runPodman(args: readonly string[]): string {
  const { status, stdout, stderr } = podman(args);
  if (status !== 0) throw new Error(`podman ${args.join(" ")} ended with ${status}: ${stderr}`);
  return stdout.trim();
}

function podman(args: readonly string[], input: string | Buffer = ""): CommandResult {
  const { status, stdout, stderr, error } = spawnSync("podman", args, { input });
  if (error !== undefined) throw error;
  return { status, stdout: stdout.toString(), stderr: stderr.toString() };
}
