import { createHash } from "node:crypto";

/** Inlined in every page; the CSP allows it by hash. */
export const style = `
:root { color-scheme: light dark; --text: #1f2328; --ground: #fff; --box: #f4f6f8; --line: #d1d9e0; --link: #0550ae }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --ground: #0d1117; --box: #161b22; --line: #3d444d; --link: #79b8ff }
}
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word }
a { color: var(--link) }
a:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
.skip { position: absolute; left: -100vw; top: 0; padding: .5rem 1rem; background: var(--ground) }
.skip:focus { left: 0; z-index: 1 }
header { border-bottom: 1px solid var(--line); padding: .75rem 1rem }
header ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: 0; padding: 0 }
[aria-current=page] { color: var(--text); font-weight: 600 }
.columns { max-width: 80rem; margin: 0 auto; padding: 0 1rem }
.contents { font-size: .9rem; max-height: 40vh; overflow: auto; border-bottom: 1px solid var(--line) }
.contents ul { list-style: none; margin: 0 0 1rem; padding: 0 }
.contents a { display: inline-block; padding: .15rem 0; text-decoration: none }
.contents .level-3 { padding-left: 1rem }
main { min-width: 0; padding-bottom: 4rem }
h1, h2, h3, h4 { line-height: 1.25; margin: 2rem 0 .75rem }
h2 { border-bottom: 1px solid var(--line); padding-bottom: .3rem }
.anchor { color: inherit; text-decoration: none }
.anchor:hover { text-decoration: underline }
code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--box); border-radius: 4px; padding: .1em .3em }
pre { background: var(--box); border: 1px solid var(--line); border-radius: 6px; padding: .75rem 1rem; overflow: auto }
pre code { background: none; padding: 0 }
pre.command { user-select: all }
.table { overflow: auto; margin: 1rem 0 }
table { border-collapse: collapse; font-size: .925rem }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
th, td { border: 1px solid var(--line); padding: .4rem .7rem; text-align: left; vertical-align: top; min-width: 5rem; overflow-wrap: normal }
thead th { background: var(--box) }
tbody th { font-weight: inherit }
img { max-width: 100%; height: auto; background: #fff }
@media (min-width: 64rem) {
  .columns { display: grid; grid-template-columns: 17rem minmax(0, 52rem); gap: 2.5rem }
  .contents { position: sticky; top: 0; align-self: start; max-height: 100vh; border: 0; padding-top: 1.5rem }
}
@media print { header, .contents, .skip { display: none } }
`;

/** Images bring their own style and load nothing. */
export const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'";

export const contentPolicy =
  `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; ` +
  "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
