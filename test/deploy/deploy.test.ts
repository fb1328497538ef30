import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { configFrom } from "../../src/server/config.ts";
import { readEnvironment } from "../../src/server/environment.ts";

const root = join(import.meta.dirname, "../..");
const text = (path: string): string => readFileSync(join(root, path), "utf8");

/** Documented metrics, including those derived from histograms. */
const metrics = new Set(
  [...text("docs/metrics.md").matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].flatMap(
    ([, name = "", kind]) =>
      kind === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  ),
);

const namesIn = (expression: string): string[] =>
  expression.match(/\b(?:earshot|process|nodejs)_\w+/g) ?? [];

describe("grafana-dashboard.json", () => {
  type Panel = {
    id: number;
    type: string;
    title: string;
    description?: string;
    datasource?: { uid: string };
    gridPos: { x: number; y: number; w: number; h: number };
    targets?: { expr: string; datasource: { uid: string } }[];
  };
  type Variable = { name: string; type: string; query: unknown };
  const dashboard: { schemaVersion: number; panels: Panel[]; templating: { list: Variable[] } } =
    JSON.parse(text("deploy/grafana-dashboard.json"));
  const panels = dashboard.panels.filter(({ type }) => type !== "row");

  test("grafana-dashboard.json draws only existing metrics, in panels with a description", () => {
    for (const { title, description = "", targets = [] } of panels) {
      expect(description.length, title).toBeGreaterThan(10);
      const names = targets.flatMap(({ expr }) => namesIn(expr));
      expect(names.length, title).toBeGreaterThan(0);
      for (const name of names) expect(metrics, title).toContain(name);
    }
  });

  test("grafana-dashboard.json can be imported into any Grafana: its data source is a variable, and no panels overlap", () => {
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(36);
    expect(dashboard.templating.list[0]).toMatchObject({
      name: "datasource",
      type: "datasource",
      query: "prometheus",
    });
    for (const { datasource, targets = [] } of panels) {
      const sources = [datasource, ...targets.map((target) => target.datasource)];
      for (const source of sources) expect(source?.uid).toBe("${" + "datasource}");
    }
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});

describe("prometheus-alerts.yaml", () => {
  type Rule = {
    alert: string;
    expr: string;
    for: string;
    labels: { severity: string };
    annotations: { summary: string; runbook: string };
  };
  const { groups }: { groups: { rules: Rule[] }[] } = parse(text("deploy/prometheus-alerts.yaml"));
  const rules = groups.flatMap((group) => group.rules);

  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    "the alert %s uses existing metrics and links to its section of docs/operations.md",
    (alert, rule) => {
      for (const name of namesIn(rule.expr)) expect(metrics).toContain(name);
      expect(rule.for).toMatch(/^\d+[mh]$/);
      expect(["critical", "warning"]).toContain(rule.labels.severity);
      expect(rule.annotations.summary).toContain("$labels.instance");
      expect(rule.annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
    },
  );

  test("prometheus-alerts.yaml has one alert for each section of docs/operations.md, and one section for each alert", () => {
    const sections = [...text("docs/operations.md").matchAll(/^### (Earshot\w+)$/gm)];
    expect(sections.map(([, name]) => name).sort()).toEqual(rules.map((rule) => rule.alert).sort());
  });
});

describe("earshot.service", () => {
  const unit = text("deploy/earshot.service");

  test("earshot.service runs an existing command as its own user, which may write only its own folders", () => {
    const [, node = "", program = ""] = /^ExecStart=(\S+) (\S+) serve$/m.exec(unit) ?? [];
    const inCheckout = (path: string) => path.replace("/opt/earshot/", "");
    expect(existsSync(join(root, inCheckout(program)))).toBe(true);
    expect(existsSync(join(root, inCheckout(node)))).toBe(true);
    for (const line of [
      "User=earshot",
      "StateDirectory=earshot",
      "ProtectSystem=strict",
      "NoNewPrivileges=yes",
      "Restart=on-failure",
    ]) {
      expect(unit.split("\n")).toContain(line);
    }
    expect(unit).toContain("EARSHOT_DATA_DIR=/var/lib/earshot");
  });

  const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

  test.skipIf(!hasSystemd)(
    "earshot.service passes systemd-analyze verify (skipped without systemd-analyze)",
    () => {
      const folder = mkdtempSync(join(tmpdir(), "earshot-unit-"));
      const copy = join(folder, "earshot.service");
      writeFileSync(copy, unit.replaceAll("/opt/earshot", root));
      const verified = spawnSync("systemd-analyze", ["verify", copy], { encoding: "utf8" });
      rmSync(folder, { recursive: true });
      expect(verified.stderr + verified.stdout).toBe("");
      expect(verified.status).toBe(0);
    },
  );
});

test("earshot.env.example contains existing settings with valid values", () => {
  const pairs = text("deploy/earshot.env.example").matchAll(/^(EARSHOT_\w+)=(.*)$/gm);
  const environment = Object.fromEntries([...pairs].map(([, name, value]) => [name, value]));
  expect(Object.keys(environment).length).toBeGreaterThan(2);
  expect(() => configFrom(readEnvironment(environment))).not.toThrow();
});

describe("Containerfile", () => {
  const file = text("deploy/Containerfile").replaceAll("\\\n", " ");
  const instructions = file.split("\n").filter((line) => /^[A-Z]+ /.test(line));
  const last = (word: string): string =>
    instructions.findLast((line) => line.startsWith(`${word} `))?.slice(word.length + 1) ?? "";

  test("the Containerfile copies existing files, all inside the build context", () => {
    const included = text("deploy/Containerfile.dockerignore").split("\n");
    const copied = instructions
      .filter((line) => line.startsWith("COPY ") && !line.includes("--from="))
      .flatMap((line) => line.split(/\s+/).slice(1, -1));
    expect(copied).toContain("src");
    for (const path of copied) {
      expect(existsSync(join(root, path)), path).toBe(true);
      expect(included, path).toContain(`!${path}`);
    }
  });

  test("the Containerfile runs as a non-root user on the required Node.js, with its data in a volume", () => {
    const bases = instructions.filter((line) => line.startsWith("FROM "));
    for (const base of bases) expect(base).toMatch(/^FROM \$\{NODE_IMAGE\}( AS \w+)?$/);
    expect(bases).toHaveLength(3);
    expect(last("ARG")).toBe("NODE_IMAGE=docker.io/library/node:24-slim");
    expect(last("USER")).toBe("node");
    expect(last("VOLUME")).toBe("/data");
    const [, program = ""] = JSON.parse(last("ENTRYPOINT"));
    const command = [program, ...JSON.parse(last("CMD")), "--help"];
    expect(execFileSync(process.execPath, command, { cwd: root, encoding: "utf8" })).toContain(
      "earshot serve",
    );
  });

  test("the Containerfile has a health check that reports the state of the server", async () => {
    const [, , program = ""] = JSON.parse(/CMD (\[.*\])$/.exec(last("HEALTHCHECK"))?.[1] ?? "[]");
    let status = 200;
    const server = createServer((request, response) => {
      response.writeHead(request.url === "/livez" ? status : 404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const check = () =>
      new Promise((resolve) => {
        const env = { ...process.env, EARSHOT_PORT: String(port) };
        spawn(process.execPath, ["-e", program], { env }).once("exit", resolve);
      });
    expect(await check()).toBe(0);
    status = 500;
    expect(await check()).toBe(1);
    server.close();
  });
});

test("the Caddyfile proxies to Earshot's address and blocks its operational routes", () => {
  const { host, port } = configFrom({}).http;
  const caddyfile = text("deploy/Caddyfile");
  expect(caddyfile).toContain(`reverse_proxy ${host}:${port}`);
  expect(caddyfile).toContain("path /metrics /readyz");
});
