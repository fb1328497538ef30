import { makeSubmission, type Request } from "./search-request.ts";

/** The look `s` is for strings, `c` for comments. */
export type CodePart = { text: string; look?: "s" | "c" };

export type RequestCode = { name: string; title: string; parts: readonly CodePart[] };

/** Samples that read the key from EARSHOT_KEY. */
export function requestCode(request: Request, baseUrl: string): RequestCode[] {
  const { path, body } = makeSubmission(request);
  const url = `${baseUrl}${path}`;
  return [
    { name: "curl", title: "curl", parts: curl(url, body) },
    { name: "typescript", title: "TypeScript", parts: typescript(url, body) },
    { name: "python", title: "Python", parts: python(url, body) },
  ];
}

export function joinParts(parts: readonly CodePart[]): string {
  return parts.map(({ text }) => text).join("");
}

function curl(url: string, body: object): CodePart[] {
  return [
    { text: `curl ${shellWord(url)} \\\n  -H ` },
    { text: '"Authorization: Bearer $EARSHOT_KEY"', look: "s" },
    { text: " \\\n  --json " },
    { text: quoteForShell(indentJson(body, "  ")), look: "s" },
  ];
}

function typescript(url: string, body: object): CodePart[] {
  return [
    { text: "const response = await fetch(\n  " },
    { text: JSON.stringify(url), look: "s" },
    { text: ",\n  {\n    method: " },
    { text: '"POST"', look: "s" },
    { text: ",\n    headers: {\n      Authorization: " },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code that is shown
    { text: "`Bearer ${process.env.EARSHOT_KEY}`", look: "s" },
    { text: ",\n      " },
    { text: '"Content-Type"', look: "s" },
    { text: ": " },
    { text: '"application/json"', look: "s" },
    { text: ",\n    },\n    body: JSON.stringify(" },
    ...highlightStrings(indentJson(body, "    ")),
    { text: "),\n  },\n);\nconst { results, coverage } = await response.json();\n" },
    { text: "// only if this is true does an empty list mean that no post matches\n", look: "c" },
    { text: "console.log(results, coverage.complete);" },
  ];
}

function python(url: string, body: object): CodePart[] {
  return [
    { text: "import json, os, urllib.request\n\nrequest = urllib.request.Request(\n    " },
    { text: JSON.stringify(url), look: "s" },
    { text: ",\n    headers={\n        " },
    { text: '"Authorization"', look: "s" },
    { text: ": " },
    { text: '"Bearer "', look: "s" },
    { text: " + os.environ[" },
    { text: '"EARSHOT_KEY"', look: "s" },
    { text: "],\n        " },
    { text: '"Content-Type"', look: "s" },
    { text: ": " },
    { text: '"application/json"', look: "s" },
    { text: ",\n    },\n    data=json.dumps(" },
    ...highlightStrings(indentJson(body, "    ")),
    {
      text: ").encode(),\n)\nwith urllib.request.urlopen(request) as response:\n    answer = json.load(response)\n",
    },
    { text: "# only if this is true does an empty list mean that no post matches\n", look: "c" },
    { text: "print(answer[" },
    { text: '"results"', look: "s" },
    { text: "], answer[" },
    { text: '"coverage"', look: "s" },
    { text: "][" },
    { text: '"complete"', look: "s" },
    { text: "])" },
  ];
}

/** JSON strings and numbers are also valid TypeScript and Python. */
function indentJson(value: object, space: string): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${space}`);
}

function highlightStrings(json: string): CodePart[] {
  return json
    .split(/("(?:[^"\\]|\\.)*")/)
    .map((text, index): CodePart => (index % 2 === 1 ? { text, look: "s" } : { text }));
}

/** In single quotes, a shell takes everything literally except the quote. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function shellWord(text: string): string {
  return /^[\w:/.@%+-]+$/.test(text) ? text : quoteForShell(text);
}
