import { createRequire } from "node:module";
import { Marked, type Token, type Tokens } from "marked";
import { anchorNames } from "../anchor-names.ts";
import { escapeHtml } from "../escape-html.ts";

type ContentsEntry = { level: number; text: string; anchor: string };

export type RenderedMarkdown = { title: string; html: string; contents: readonly ContentsEntry[] };

/**
 * Links for which `resolveLink` returns null keep only their text. Adds anchors, and captions and
 * scroll boxes for tables.
 */
export function renderMarkdown(
  text: string,
  resolveLink: (target: string) => string | null,
): RenderedMarkdown {
  const contents: ContentsEntry[] = [];
  const nameOf = anchorNames();
  let title = "";
  let heading = "";
  let tables = 0;

  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        heading = plainText(tokens);
        const anchor = nameOf(heading);
        if (depth === 1) title = heading;
        else contents.push({ level: depth, text: heading, anchor });
        return `<h${depth} id="${anchor}"><a class="anchor" href="#${anchor}">${inner}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const address = resolveLink(href);
        return address === null ? inner : `<a href="${escapeHtml(address)}">${inner}</a>`;
      },
      image({ href, text }) {
        const address = resolveLink(href);
        const altText = escapeHtml(text);
        return address === null ? altText : `<img src="${escapeHtml(address)}" alt="${altText}">`;
      },
      table({ header, rows }) {
        tables++;
        const head = header
          .map((cell) => `<th scope="col">${renderInline(cell.tokens)}</th>`)
          .join("");
        const body = rows.map((cells) => `<tr>${formatRow(cells)}</tr>`).join("\n");
        const id = `table-${tables}`;
        return (
          `<div class="table-box" role="region" aria-labelledby="${id}" tabindex="0"><table>` +
          `<caption id="${id}">${escapeHtml(heading)}: table ${tables}</caption>` +
          `<thead><tr>${head}</tr></thead>\n<tbody>\n${body}\n</tbody></table></div>\n`
        );
      },
      code({ text, lang }) {
        return codeBlock(text, lang ?? "");
      },
      html({ text }) {
        return /^(?:<br>|<a id="[\w-]+">|<\/a>|<!--[^<>]*-->)$/.test(text.trim())
          ? text
          : escapeHtml(text);
      },
    },
  });

  function renderInline(tokens: Token[]): string {
    return marked.Parser.parseInline(tokens, marked.defaults);
  }

  function formatRow(cells: readonly Tokens.TableCell[]): string {
    return cells
      .map(({ tokens }, column) =>
        column === 0
          ? `<th scope="row">${renderInline(tokens)}</th>`
          : `<td>${renderInline(tokens)}</td>`,
      )
      .join("");
  }

  const html = groupSamples(marked.parse(text, { async: false }));
  return { title, html, contents };
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      "tokens" in token && token.tokens ? plainText(token.tokens) : tokenText(token),
    )
    .join("");
}

function tokenText(token: Token): string {
  return "text" in token && typeof token.text === "string" ? token.text : "";
}

type Highlighter = {
  getLanguage(name: string): object | undefined;
  highlight(text: string, options: { language: string }): { value: string };
};

/** The package's own types would add those of the DOM to the server's. */
const hljs: Highlighter = createRequire(import.meta.url)("highlight.js/lib/common");

/** `info` is a language and, for tabs, an optional name in brackets. */
function codeBlock(text: string, info: string): string {
  const [language = ""] = info.split(" ");
  const [, name = null] = /\[([^[\]]+)\]/.exec(info) ?? [];
  const html = hljs.getLanguage(language)
    ? hljs.highlight(text, { language }).value
    : escapeHtml(text);
  const label = name === null ? "" : ` data-label="${escapeHtml(name)}"`;
  const caption = name === null ? "" : `<figcaption>${escapeHtml(name)}</figcaption>`;
  return (
    `<figure class="sample"${label}>${caption}<pre class="code" tabindex="0"><code>${html}</code></pre>` +
    '<button class="button" type="button" data-copy data-size="small">Copy</button></figure>\n'
  );
}

function groupSamples(html: string): string {
  return html.replaceAll(
    /(?:<figure class="sample" data-label=(?:(?!<\/figure>)[\s\S])*<\/figure>\n){2,}/g,
    (samples) => `<div class="samples">${samples}</div>\n`,
  );
}
