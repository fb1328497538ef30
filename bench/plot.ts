import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { command } from "./measure.ts";
import type { ScaleFigures } from "./scale.ts";

/**
 * Figures of bench/scale.ts: median and 95th percentile per kind of query and size, for raw FTS5 and the archive.
 * Colours follow the reader's preference.
 */
const [folder, target] = argv.slice(2);
if (folder === undefined || target === undefined) {
  console.error(`usage: ${command()} FOLDER TARGET.svg`);
  process.exit(2);
}
const sizes = ["100k", "600k", "1m", "3m", "10m"]
  .map((size) => join(folder, `${size}.json`))
  .filter((path) => existsSync(path))
  .map((path) => JSON.parse(readFileSync(path, "utf8")) as ScaleFigures)
  .filter(({ queries }) => queries !== undefined);
const kinds = sizes[0]?.queries?.map(({ name }) => name) ?? [];

const marginLeft = 190;
const panelWidth = Math.min(300, 900 / Math.max(1, sizes.length));
const gap = 24;
const marginTop = 74;
const rowHeight = 26;
const width = marginLeft + sizes.length * (panelWidth + gap);
const height = marginTop + kinds.length * rowHeight + 44;
const ticks = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const values = sizes.flatMap(({ queries = [] }) =>
  queries.flatMap(({ raw, archive }) => [raw.p50, raw.p95, archive.p50, archive.p95]),
);
const lowest = ticks.findLast((tick) => tick <= Math.min(...values)) ?? 0.02;
const highest = ticks.find((tick) => tick >= Math.max(...values)) ?? Math.max(...values);

const xOffset = (ms: number): number =>
  (Math.log(Math.max(ms, lowest) / lowest) / Math.log(highest / lowest)) * panelWidth;

const text = (x: number, y: number, content: string, attributes = ""): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${attributes}>${content}</text>`;

function mark(engine: "raw" | "archive", x: number, y: number, p50: number, p95: number): string {
  const [from, to] = [x + xOffset(p50), x + xOffset(p95)].map((position) => position.toFixed(1));
  return (
    `<line class="${engine}" x1="${from}" x2="${to}" y1="${y}" y2="${y}"/>` +
    `<circle class="${engine}" cx="${from}" cy="${y}" r="4"/>`
  );
}

function panel({ posts, queries = [] }: ScaleFigures, index: number): string {
  const x = marginLeft + index * (panelWidth + gap);
  const bottom = marginTop + kinds.length * rowHeight;
  const grid = ticks
    .filter((tick) => tick >= lowest && tick <= highest)
    .map((tick) => {
      const position = x + xOffset(tick);
      const line = `<line class="grid" x1="${position.toFixed(1)}" x2="${position.toFixed(1)}" y1="${marginTop}" y2="${bottom}"/>`;
      return (
        line + text(position, bottom + 16, String(tick), ' text-anchor="middle" class="small"')
      );
    });
  const marks = queries.map(({ raw, archive }, row) => {
    const y = marginTop + row * rowHeight + rowHeight / 2;
    return (
      mark("raw", x, y - 4, raw.p50, raw.p95) + mark("archive", x, y + 4, archive.p50, archive.p95)
    );
  });
  const postsLabel = posts >= 1e6 ? `${posts / 1e6} million` : posts.toLocaleString("en");
  return [
    text(x, marginTop - 12, `${postsLabel} posts`, ' class="strong"'),
    ...grid,
    ...marks,
  ].join("\n");
}

const names = kinds.map((name, row) =>
  text(
    marginLeft - 14,
    marginTop + row * rowHeight + rowHeight / 2 + 4,
    name,
    ' text-anchor="end"',
  ),
);
const legend =
  `<circle class="raw" cx="${marginLeft + 4}" cy="24" r="4"/>${text(marginLeft + 14, 28, "raw FTS5")}` +
  `<circle class="archive" cx="${marginLeft + 124}" cy="24" r="4"/>${text(marginLeft + 134, 28, "Earshot, with whole records")}` +
  text(marginLeft + 340, 28, "dot: p50, end of line: p95", ' class="small"');
const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .small { font-size: 11px; fill: #59636e }
  .strong { font-weight: 600 }
  .grid { stroke: #d1d9e0; stroke-width: 1 }
  line.raw { stroke: #9a6700; stroke-width: 2 } circle.raw { fill: #9a6700 }
  line.archive { stroke: #0969da; stroke-width: 2 } circle.archive { fill: #0969da }
  .ground { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .small { fill: #9198a1 } .grid { stroke: #3d444d }
    line.raw { stroke: #d29922 } circle.raw { fill: #d29922 }
    line.archive { stroke: #4493f8 } circle.archive { fill: #4493f8 }
    .ground { fill: #0d1117 }
  }`;
writeFileSync(
  target,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Milliseconds of twelve kinds of query, raw FTS5 and Earshot, by number of posts">
<style>${style}
</style>
<rect class="ground" width="${width}" height="${height}" rx="6"/>
${legend}
${names.join("\n")}
${sizes.map(panel).join("\n")}
${text(marginLeft, height - 8, "milliseconds, logarithmic", ' class="small"')}
</svg>
`,
);
console.log(`${target}: ${sizes.map(({ posts }) => posts.toLocaleString("en")).join(", ")} posts`);
