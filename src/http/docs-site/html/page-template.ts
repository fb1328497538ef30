import { escapeHtml } from "../escape-html.ts";
import type { NavigationEntry, NavigationGroup } from "../navigation.ts";
import type { RenderedMarkdown } from "./render-markdown.ts";
import { plainText } from "./search-index.ts";

/** Fills web/docs.html, as built by Vite. */
export function fillTemplate(
  template: string,
  {
    path,
    page: { title, html, contents },
    navigation,
    searchFile,
  }: {
    path: string | null;
    page: RenderedMarkdown;
    navigation: readonly NavigationGroup[];
    searchFile: string;
  },
): string {
  const entries = navigation.flatMap((group) => group.entries);
  const currentEntry = path === null ? undefined : findEntry(entries, path);
  const parts: Record<string, string> = {
    title: escapeHtml(title === "Earshot" ? "Earshot documentation" : `${title} · Earshot`),
    description: escapeHtml(htmlDescription(html)),
    navigation: navigation.map((group) => groupHtml(group, currentEntry)).join("\n"),
    contents: contentsHtml(contents),
    main: html,
    neighbours: neighboursHtml(entries, path),
    markdown:
      path === null
        ? ""
        : `<a href="/docs${path === "" ? "/README" : path}.md">View as Markdown</a>`,
    search: searchFile,
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => parts[name] ?? whole);
}

const maxDescriptionLength = 160;

/** The first paragraph, for search engines. */
function htmlDescription(html: string): string {
  const text = plainText(/<p>.*?<\/p>/s.exec(html)?.[0] ?? "");
  return text.length <= maxDescriptionLength ? text : `${text.slice(0, maxDescriptionLength - 1)}…`;
}

function findEntry(entries: readonly NavigationEntry[], path: string): NavigationEntry | undefined {
  const parent = path.slice(0, path.lastIndexOf("/"));
  return (
    entries.find((entry) => entry.path === path) ??
    entries.find((entry) => parent !== "" && entry.path === parent)
  );
}

function groupHtml({ title, entries }: NavigationGroup, currentEntry?: NavigationEntry): string {
  const items = entries.map((entry) => {
    const mark = entry === currentEntry ? ' aria-current="page"' : "";
    return `<li><a href="/docs${entry.path}"${mark}>${escapeHtml(entry.title)}</a></li>`;
  });
  return `<div><h2>${escapeHtml(title)}</h2><ul>${items.join("")}</ul></div>`;
}

function contentsHtml(contents: RenderedMarkdown["contents"]): string {
  const headings = contents.filter(({ level }) => level <= 3);
  if (headings.length < 2) return "";
  const items = headings.map(
    ({ level, anchor, text }) =>
      `<li data-level="${level}"><a href="#${anchor}">${escapeHtml(text)}</a></li>`,
  );
  return (
    '<nav class="contents" aria-label="On this page"><details><summary>On this page</summary>' +
    `<ul>${items.join("")}</ul></details></nav>`
  );
}

function neighboursHtml(entries: readonly NavigationEntry[], path: string | null): string {
  const index = entries.findIndex((entry) => entry.path === path);
  if (index === -1) return "";
  const link = (entry: NavigationEntry | undefined, kind: "prev" | "next") =>
    entry === undefined
      ? ""
      : `<a rel="${kind}" href="/docs${entry.path}"><span>${kind === "prev" ? "Previous" : "Next"}</span>${escapeHtml(entry.title)}</a>`;
  return `<nav class="neighbours" aria-label="Previous and next page">${link(entries[index - 1], "prev")}${link(entries[index + 1], "next")}</nav>`;
}
