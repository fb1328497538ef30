import { escapeHtml } from "./escape-html.ts";
import type { ContentsEntry, RenderedMarkdown } from "./markdown-page.ts";
import { style } from "./style.ts";

const mainPages: readonly (readonly [path: string, name: string])[] = [
  ["/docs", "Documentation"],
  ["/docs/api", "API"],
  ["/docs/query-language", "Query language"],
  ["/docs/errors", "Errors"],
  ["/openapi.json", "OpenAPI"],
];

/** Needs no script or other file. */
export function htmlPage(path: string, { title, html, contents }: RenderedMarkdown): string {
  const ending = title === "Earshot" ? "" : " – Earshot";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}${ending}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header><nav aria-label="Main pages"><ul>${mainPages.map((page) => mainPage(path, page)).join("")}</ul></nav></header>
<div class="columns">
${contentsOf(contents)}<main id="text" tabindex="-1">
${html}</main>
</div>
</body>
</html>
`;
}

function mainPage(path: string, [address, name]: readonly [string, string]): string {
  const current = path === address ? ' aria-current="page"' : "";
  return `<li><a href="${address}"${current}>${name}</a></li>`;
}

function contentsOf(entries: readonly ContentsEntry[]): string {
  const listed = entries.filter(({ level }) => level <= 3);
  if (listed.length < 2) return "<div></div>";
  const items = listed.map(
    ({ level, anchor, text }) =>
      `<li class="level-${level}"><a href="#${anchor}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><ul>\n${items.join("\n")}\n</ul></nav>\n`;
}
