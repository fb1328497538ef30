import "./shell.css";
import "./listening.css";
import { type ReactNode, useEffect, useRef } from "preact/compat";
import { Link, useLocation } from "wouter";
import type { StatusResponse } from "../../src/http/dashboard/contract/status.ts";
import { InsecureBanner } from "./components/banner.tsx";
import { Brand } from "./components/brand.tsx";
import { Button } from "./components/button.tsx";
import { Icon } from "./components/icons.tsx";
import { zoneName } from "./components/time.tsx";
import { useJobFeed } from "./jobs/use-jobs.ts";
import { listeningText } from "./listening-text.ts";
import { type Page, pagesFor } from "./pages.tsx";
import { useSignedIn } from "./session.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { switchTheme } from "./theme.ts";
import { useApi } from "./use-api.ts";

export function Shell({ children }: { children: ReactNode }) {
  const main = useRef<HTMLElement>(null);
  const menu = useRef<HTMLElement>(null);
  const [path] = useLocation();
  const page = path.split("/")[1];
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    if (menu.current?.matches(":popover-open")) menu.current.hidePopover();
    window.scrollTo(0, 0);
    // Moves keyboard and screen reader users to the new page.
    if (page !== undefined) main.current?.focus();
  }, [page]);
  return (
    <div className="app">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="topbar">
        <Brand />
        <Button variant="plain" data-icon="" aria-label="Menu" popoverTarget="menu">
          <Icon name="menu" />
        </Button>
      </header>
      <InsecureBanner />
      <Sidebar menu={menu} />
      <main className="main" id="main" ref={main} tabIndex={-1}>
        {children}
      </main>
      <Shortcuts />
    </div>
  );
}

function Sidebar({ menu }: { menu: React.RefObject<HTMLElement | null> }) {
  const { account } = useSignedIn();
  const visiblePages = pagesFor(account.role);
  const groups = [...new Set(visiblePages.map(({ group }) => group))];
  return (
    <nav className="sidebar" id="menu" aria-label="Dashboard" popover="auto" ref={menu}>
      <Brand />
      <div className="nav">
        {groups.map((group) => (
          <div key={group}>
            <h2>{group}</h2>
            <ul>
              {visiblePages
                .filter((page) => page.group === group)
                .map((page) => (
                  <li key={page.path}>
                    <NavLink page={page} />
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </div>
      <div className="side-foot">
        <ListeningLine />
        <p className="side-zone">Times in {zoneName(new Date())}</p>
        <a href="/docs">Documentation</a>
        <div className="side-user">
          <Link href="/account">
            <Icon name={account.provider === null ? "person" : "branch"} />
            <span className="clip">
              <bdi>{account.name}</bdi>
            </span>
          </Link>
          <Button variant="plain" data-icon="" aria-label="Switch theme" onClick={switchTheme}>
            <Icon name="theme" />
          </Button>
        </div>
      </div>
    </nav>
  );
}

function NavLink({ page: { path, title, icon } }: { page: Page }) {
  const [location] = useLocation();
  const isCurrent = location === path || location.startsWith(`${path}/`);
  return (
    <Link href={path} aria-current={isCurrent ? "page" : undefined}>
      <Icon name={icon} />
      {title}
      {path === "/jobs" ? <RunningCount /> : null}
    </Link>
  );
}

/** Same interval as the Status page, so that both agree. */
const refreshMs = 10_000;

function ListeningLine() {
  const { data, problem } = useApi<StatusResponse>("/dashboard/api/status?range=24h", refreshMs);
  if (data === undefined && problem === undefined) return null;
  const { isLive, text } =
    data === undefined || problem !== undefined ? unknownStatus : listeningText(data.platforms);
  return (
    <Link href="/status">
      <span className="live" data-tone={isLive ? undefined : "caution"} />
      {text}
    </Link>
  );
}

const unknownStatus = { isLive: false, text: "Status unknown" };

const maxCount = 100;

function RunningCount() {
  const { runningCount } = useJobFeed();
  if (runningCount === null || runningCount === 0) return null;
  return (
    <span className="count">
      {runningCount >= maxCount ? `${maxCount}+` : runningCount}
      <span className="sr"> running</span>
    </span>
  );
}
