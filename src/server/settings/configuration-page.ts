import { readFile, writeFile } from "node:fs/promises";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { withGeneratedPart } from "../../lib/generated-part.ts";
import { packageRoot } from "../../lib/package-root.ts";
import type { Setting } from "../../lib/settings/setting.ts";
import { settingTasks } from "./setting-tasks.ts";
import { allSettings, settings } from "./settings.ts";

type Section = keyof typeof settings;

const titles: Record<Section, string> = {
  data: "Archive",
  database: "Database",
  http: "HTTP",
  limits: "Rate limits",
  signIn: "Sign-in",
  sessions: "Sessions",
  keys: "Keys",
  apps: "Connected apps",
  search: "Searches",
  jobs: "Jobs",
  webhooks: "Webhooks",
  ingest: "Bluesky live stream",
  mastodonStream: "Mastodon live stream",
  backfill: "Backfill",
  upstreams: "Platforms",
  usage: "Usage and status",
  nodes: "Gateway",
  node: "Remote node",
  import: "Import",
  log: "Log",
};

const markers = ["<!-- settings: generated from the code -->", "<!-- end of settings -->"] as const;

/** The pages whose tables `npm run docs` regenerates. */
export const configurationPages: readonly { url: URL; update: (page: string) => string }[] = [
  {
    url: new URL("docs/configuration.md", packageRoot),
    update: (page) => withGeneratedPart(page, markers, tablesByTask()),
  },
  {
    url: new URL("docs/configuration-advanced.md", packageRoot),
    update: (page) => withGeneratedPart(page, markers, advancedTables()),
  },
];

function tablesByTask(): string {
  const byName = new Map(allSettings().map((setting) => [setting.name, setting]));
  return Object.entries(settingTasks)
    .map(([task, names]) => {
      const settings = names
        .map((name) => byName.get(name))
        .filter((setting) => setting !== undefined);
      return table(task, settings);
    })
    .join("\n");
}

function advancedTables(): string {
  const listedNames = new Set(Object.values(settingTasks).flat());
  return (Object.keys(titles) as Section[])
    .map((section) => ({
      title: titles[section],
      unlistedSettings: Object.values<Setting<unknown>>(settings[section]).filter(
        ({ name }) => !listedNames.has(name),
      ),
    }))
    .filter(({ unlistedSettings }) => unlistedSettings.length > 0)
    .map(({ title, unlistedSettings }) => table(title, unlistedSettings))
    .join("\n");
}

function table(title: string, rows: readonly Setting<unknown>[]): string {
  return [
    `## ${title}`,
    "",
    "| variable | default | values | meaning |",
    "|---|---|---|---|",
    ...rows.map(row),
    "",
  ].join("\n");
}

function row({ name, defaultText, expected, description }: Setting<unknown>): string {
  const fallback = defaultText.split(",").map((part) => `\`${part}\``);
  const values = expected
    .replace(defaultText === "none" ? /, or none$/ : /^$/, "")
    .replace(/, separated by commas/, "")
    .replace(/, such as 500ms.* or 7d/, "")
    .replace(/^a whole number from (\d+) to (\d+)/, "$1–$2")
    .replace(/^a duration of (\w+) or more/, "≥ $1")
    .replace(/^a duration/, "duration")
    .replace(/(?:a )?(URLs?) that begins? with https:\/\/ or http:\/\/( and has no path)?/, "$1")
    .replace(/^text without spaces/, "text")
    .replace(/^one (?:or more )?of /, "");
  return `| \`${name}\` | ${fallback.join("<br>")} | ${values} | ${withLinks(description)} |`;
}

const withLinks = (text: string): string => text.replace(/docs\/([a-z-]+)\.md/g, "[$1]($1.md)");

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  for (const { url, update } of configurationPages) {
    await writeFile(url, update(await readFile(url, "utf8")));
  }
}
