import { readFile, writeFile } from "node:fs/promises";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { withGeneratedPart } from "../lib/generated-part.ts";
import { packageRoot } from "../lib/package-root.ts";
import { isSearch, type Method, methodNames, ownMethods } from "../platforms/methods.ts";
import { platformDescriptions } from "../platforms/registry.ts";
import type { AccessKind, MethodSupport } from "../platforms/upstream.ts";
import { type Platform, platforms, platformTitles } from "../posts/post.ts";
import { isAnsweredByArchive } from "../search/methods/archived-answer.ts";
import { isDerived } from "../search/methods/derived-answer.ts";

/** The page whose tables `npm run docs` regenerates. */
export const platformsPage = new URL("docs/platforms.md", packageRoot);

const markers = [
  "<!-- methods: generated from src/platforms/*/support.ts -->",
  "<!-- end of methods -->",
] as const;

export function withMethods(page: string): string {
  return withGeneratedPart(page, markers, [overview(), ...platforms.map(platformTable)].join("\n"));
}

function overview(): string {
  const rows = methodNames.map((method) => {
    const cells = platforms.map((platform) =>
      accessWords(platformDescriptions[platform].support[method].access),
    );
    return `| \`${method}\` | ${cells.join(" | ")} | ${archiveWords(method)} |`;
  });
  return table(
    ["method", ...platforms.map((platform) => platformTitles[platform]), "archive"],
    rows,
  );
}

function platformTable(platform: Platform): string {
  const rows = methodNames.map((method, index) => {
    const support = platformDescriptions[platform].support[method];
    return `| \`${method}\` | ${endpointWords(support)} | ${noteCell(platform, index)} |`;
  });
  return `### Methods on ${platformTitles[platform]}\n\n${table(["method", "endpoint", "note"], rows)}`;
}

function table(heads: readonly string[], rows: readonly string[]): string {
  return [`| ${heads.join(" | ")} |`, `|${heads.map(() => "---").join("|")}|`, ...rows, ""].join(
    "\n",
  );
}

function accessWords(access: readonly AccessKind[]): string {
  if (access.length === 0) return "none";
  if (access.includes("public")) return "public";
  return (["user", "app"] as const).filter((kind) => access.includes(kind)).join(", ");
}

function archiveWords(method: Method): string {
  if (ownMethods.includes(method)) return "never";
  if (!isSearch(method) && isDerived(method)) return "fallback";
  return isSearch(method) || isAnsweredByArchive(method) ? "yes" : "";
}

const endpointWords = (support: MethodSupport): string =>
  "endpoint" in support ? `\`${support.endpoint}\`` : "";

const formatNote = (support: MethodSupport): string =>
  "closest" in support ? support.closest : support.note;

function noteCell(platform: Platform, index: number): string {
  const noteAt = (index: number) => {
    const method = methodNames[index];
    return method === undefined
      ? ""
      : cell(formatNote(platformDescriptions[platform].support[method]));
  };
  const isSame = noteAt(index) !== "" && noteAt(index) === noteAt(index - 1);
  return isSame ? `As \`${methodNames[index - 1]}\`.` : noteAt(index);
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ");

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  await writeFile(platformsPage, withMethods(await readFile(platformsPage, "utf8")));
}
