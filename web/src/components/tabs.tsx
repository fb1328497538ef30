import "./tabs.css";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "preact/compat";

export type Tab = { name: string; title: string; content: ReactNode };

export function Tabs({
  label,
  tabs,
  end,
}: {
  label: string;
  tabs: readonly Tab[];
  end?: (shown: Tab) => ReactNode;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [name, setName] = useState(tabs[0]?.name);
  const selectedTab = tabs.find((tab) => tab.name === name) ?? tabs[0];
  if (selectedTab === undefined) return null;
  const step = (event: KeyboardEvent<HTMLElement>) => {
    const offset = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (offset === undefined) return;
    event.preventDefault();
    const index = (tabs.indexOf(selectedTab) + offset + tabs.length) % tabs.length;
    const next = tabs[index];
    if (next === undefined) return;
    setName(next.name);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[index]?.focus();
  };
  return (
    <>
      <div className="tabs">
        <div role="tablist" aria-label={label} ref={list} onKeyDown={step}>
          {tabs.map((tab) => (
            <button
              key={tab.name}
              type="button"
              role="tab"
              id={`${id}-${tab.name}`}
              aria-controls={`${id}-panel`}
              aria-selected={tab === selectedTab}
              tabIndex={tab === selectedTab ? 0 : -1}
              onClick={() => setName(tab.name)}
            >
              {tab.title}
            </button>
          ))}
        </div>
        {end?.(selectedTab)}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selectedTab.name}`}>
        {selectedTab.content}
      </div>
    </>
  );
}
