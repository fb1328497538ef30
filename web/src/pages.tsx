import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import type { IconName } from "./components/icons.tsx";

export type Page = {
  path: string;
  title: string;
  icon: IconName;
  group: "Search" | "Access" | "Service" | "Operator";
  /** The key after `g`. */
  key: string;
  component: LazyExoticComponent<ComponentType>;
};

/** In sidebar order; loaded on demand. */
const pages: readonly Page[] = [
  {
    path: "/playground",
    title: "Playground",
    icon: "search",
    group: "Search",
    key: "p",
    component: lazy(async () => ({
      default: (await import("./pages/playground/page.tsx")).PlaygroundPage,
    })),
  },
  {
    path: "/jobs",
    title: "Jobs",
    icon: "list",
    group: "Search",
    key: "j",
    component: lazy(async () => ({ default: (await import("./pages/jobs/page.tsx")).JobsPage })),
  },
  {
    path: "/keys",
    title: "Keys",
    icon: "key",
    group: "Access",
    key: "k",
    component: lazy(async () => ({ default: (await import("./pages/keys/page.tsx")).KeysPage })),
  },
  {
    path: "/usage",
    title: "Usage",
    icon: "bars",
    group: "Access",
    key: "u",
    component: lazy(async () => ({ default: (await import("./pages/usage/page.tsx")).UsagePage })),
  },
  {
    path: "/credentials",
    title: "Credentials",
    icon: "plug",
    group: "Access",
    key: "c",
    component: lazy(async () => ({
      default: (await import("./pages/credentials/page.tsx")).CredentialsPage,
    })),
  },
  {
    path: "/webhooks",
    title: "Webhooks",
    icon: "repeat",
    group: "Access",
    key: "w",
    component: lazy(async () => ({
      default: (await import("./pages/webhooks/page.tsx")).WebhooksPage,
    })),
  },
  {
    path: "/status",
    title: "Status",
    icon: "pulse",
    group: "Service",
    key: "s",
    component: lazy(async () => ({
      default: (await import("./pages/status/page.tsx")).StatusPage,
    })),
  },
  {
    path: "/account",
    title: "Account",
    icon: "person",
    group: "Service",
    key: "a",
    component: lazy(async () => ({
      default: (await import("./pages/account/page.tsx")).AccountPage,
    })),
  },
  {
    path: "/accounts",
    title: "Accounts",
    icon: "people",
    group: "Operator",
    key: "o",
    component: lazy(async () => ({
      default: (await import("./pages/operator/accounts-page.tsx")).AccountsPage,
    })),
  },
  {
    path: "/activity",
    title: "Activity",
    icon: "list",
    group: "Operator",
    key: "t",
    component: lazy(async () => ({
      default: (await import("./pages/operator/activity-page.tsx")).ActivityPage,
    })),
  },
  {
    path: "/nodes",
    title: "Nodes",
    icon: "nodes",
    group: "Operator",
    key: "n",
    component: lazy(async () => ({
      default: (await import("./pages/operator/nodes-page.tsx")).NodesPage,
    })),
  },
  {
    path: "/audit",
    title: "Audit log",
    icon: "log",
    group: "Operator",
    key: "l",
    component: lazy(async () => ({
      default: (await import("./pages/operator/audit-page.tsx")).AuditPage,
    })),
  },
];

export function pagesFor(role: "member" | "operator"): readonly Page[] {
  return role === "operator" ? pages : pages.filter(({ group }) => group !== "Operator");
}
