import { readFile, writeFile } from "node:fs/promises";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../lib/package-root.ts";
import type { Setting } from "./setting-kinds.ts";
import { settings } from "./settings.ts";

/** The page that lists the settings; `npm run docs` writes its tables anew. */
export const configurationPage = new URL("docs/configuration.md", packageRoot);

const titles: Record<keyof typeof settings, string> = {
  data: "Data",
  http: "HTTP",
  limits: "Rates",
  signIn: "Sign-in",
  sessions: "Sessions",
  keys: "Keys",
  search: "Searches",
  jobs: "Jobs",
  webhooks: "Webhooks",
  ingest: "Live stream",
  mastodonStream: "Live stream of a Mastodon server",
  backfill: "History",
  upstreams: "Platforms",
  usage: "Usage and status",
  nodes: "Remote nodes",
  node: "A node by itself",
  import: "Import",
  log: "Log",
};

const begin = "<!-- settings: made from src/server/settings.ts -->";
const end = "<!-- end of settings -->";

/** The page with its tables as the settings are now. */
export function withSettings(page: string): string {
  const head = page.slice(0, page.indexOf(begin));
  const tail = page.slice(page.indexOf(end));
  return `${head}${begin}\n\n${tables()}\n${tail}`;
}

function tables(): string {
  return Object.entries(settings)
    .map(([section, table]) => {
      const rows = Object.values<Setting<unknown>>(table).map(row);
      const title = Object.entries(titles).find(([name]) => name === section)?.[1] ?? section;
      return [
        `## ${title}`,
        "",
        "| variable | default | may be | meaning |",
        "|---|---|---|---|",
        ...rows,
        "",
      ].join("\n");
    })
    .join("\n");
}

function row({ name, defaultText, expected, meaning }: Setting<unknown>): string {
  const fallback = defaultText.split(",").map((part) => `\`${part}\``);
  return `| \`${name}\` | ${fallback.join("<br>")} | ${expected} | ${meaning} |`;
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  await writeFile(configurationPage, withSettings(await readFile(configurationPage, "utf8")));
}
