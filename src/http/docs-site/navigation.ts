import type { OpenApi } from "./open-api.ts";
import { referenceNames, referenceTitle } from "./reference.ts";

export type NavigationEntry = { path: string; title: string };

export type NavigationGroup = { title: string; entries: readonly NavigationEntry[] };

export function makeNavigation(api: OpenApi): readonly NavigationGroup[] {
  const reference = referenceNames(api).map((name) =>
    name === "README"
      ? { path: "/reference", title: "All endpoints" }
      : { path: `/reference/${name}`, title: referenceTitle(name) },
  );
  return [
    group("Start", [
      ["", "Overview"],
      ["/quickstart", "Quickstart"],
      ["/guides", "Guides"],
    ]),
    group("Search posts", [
      ["/api", "The API"],
      ["/query-language", "Query language"],
      ["/platforms", "Platforms"],
      ["/mcp", "AI agents (MCP)"],
      ["/webhooks", "Webhooks"],
      ["/dashboard", "Dashboard"],
      ["/errors", "Errors"],
      ["/errors/details", "Error details"],
      ["/errors/warnings", "Warnings"],
      ["/errors/job-failures", "Job failures"],
    ]),
    { title: "API reference", entries: reference },
    group("Fill the archive", [
      ["/live-stream", "Live stream"],
      ["/backfill", "Backfill"],
      ["/import", "Import"],
    ]),
    group("Run a server", [
      ["/operations", "Operations"],
      ["/configuration", "Configuration"],
      ["/configuration-advanced", "Advanced settings"],
      ["/commands", "Commands"],
      ["/credentials", "Credentials"],
      ["/metrics", "Metrics"],
      ["/scaling", "Several gateways"],
      ["/performance", "Performance"],
      ["/sealed-index", "Sealed index"],
    ]),
    group("Remote nodes", [
      ["/attestation", "Attestation"],
      ["/nodes", "Node protocol"],
      ["/hardware-acceptance", "First run on TDX"],
    ]),
    group("Contribute", [
      ["/glossary", "Glossary"],
      ["/executors", "Executors"],
      ["/decisions", "Decisions"],
    ]),
  ];
}

function group(
  title: string,
  entries: readonly (readonly [path: string, title: string])[],
): NavigationGroup {
  return { title, entries: entries.map(([path, name]) => ({ path, title: name })) };
}
