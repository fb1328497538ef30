import { lazy, Suspense, useEffect, useState } from "preact/compat";
import { useLocation } from "wouter";
import { Button } from "./components/button.tsx";
import { Dialog } from "./components/dialog.tsx";
import { pagesFor } from "./pages.tsx";
import { useSignedIn } from "./session.tsx";
import { areSingleKeysOn, isTyping } from "./single-keys.ts";
import { switchTheme } from "./theme.ts";

const Palette = lazy(async () => ({ default: (await import("./palette/palette.tsx")).Palette }));

const chordMs = 1_500;

export function Shortcuts() {
  const { account } = useSignedIn();
  const [, navigate] = useLocation();
  const [isListOpen, setListOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const { role } = account;
  useEffect(() => {
    let chordEndMs = 0;
    const listen = (event: KeyboardEvent) => {
      if (event.key === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) {
        event.preventDefault();
        if (document.querySelector("dialog[open]") === null) setPaletteOpen(true);
        return;
      }
      const isPlain = !(event.ctrlKey || event.metaKey || event.altKey);
      if (!isPlain || isTyping(event.target) || !areSingleKeysOn()) return;
      if (document.querySelector("dialog[open]") !== null) return;
      if (performance.now() < chordEndMs) {
        chordEndMs = 0;
        const page = pagesFor(role).find(({ key }) => key === event.key);
        if (page === undefined) return;
        event.preventDefault();
        navigate(page.path);
        return;
      }
      if (event.key === "g") chordEndMs = performance.now() + chordMs;
      else if (event.key === "t") switchTheme();
      else if (event.key === "?") setListOpen(true);
      else if (event.key === "/") {
        event.preventDefault();
        const query = document.querySelector<HTMLElement>(".query-input");
        if (query === null) navigate("/playground");
        else query.focus();
      }
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [navigate, role]);
  if (isPaletteOpen) {
    return (
      <Suspense fallback={null}>
        <Palette onClose={() => setPaletteOpen(false)} />
      </Suspense>
    );
  }
  return isListOpen ? <ShortcutList role={role} onClose={() => setListOpen(false)} /> : null;
}

function ShortcutList({ role, onClose }: { role: "member" | "operator"; onClose(): void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} onSubmit={onClose}>
      <dl className="facts">
        <Shortcut keys="/" description="Focus the query" />
        <Shortcut keys="Ctrl K" description="Go to a page, search, key or document" />
        <Shortcut keys="Enter" description="Search, while editing the query" />
        <Shortcut keys="Shift Enter" description="New line in the query" />
        <Shortcut keys="Tab" description="Accept the suggestion" />
        <Shortcut keys="j k" description="Next and previous post or row" />
        <Shortcut keys="Enter" description="Open the selected post or row" />
        <Shortcut keys="o" description="Open the original post" />
        <Shortcut keys="t" description="Switch theme" />
        {pagesFor(role).map(({ key, title, path }) => (
          <Shortcut key={path} keys={`g ${key}`} description={title} />
        ))}
      </dl>
      <p className="small quiet">You can turn off single-key shortcuts on the Account page.</p>
      <div className="row">
        <Button type="submit" variant="primary">
          Close
        </Button>
      </div>
    </Dialog>
  );
}

function Shortcut({ keys, description }: { keys: string; description: string }) {
  return (
    <>
      <dt>
        <kbd>{keys}</kbd>
      </dt>
      <dd>{description}</dd>
    </>
  );
}
