import { readStored, writeStored } from "../theme.ts";

const storageKey = "earshot-docs-tab";

type Tab = { button: HTMLButtonElement; sample: HTMLElement; label: string };

/** The choice applies to all groups and later pages. */
export function showSampleTabs(): void {
  const groups = [...document.querySelectorAll<HTMLElement>(".samples")].map(listTabs);
  const choose = (label: string) => {
    for (const group of groups) select(group, label);
  };
  for (const tabs of groups) {
    for (const { button, label } of tabs) {
      button.addEventListener("click", () => {
        writeStored(storageKey, label);
        // The height of groups above may change.
        const top = button.getBoundingClientRect().top;
        choose(label);
        scrollBy(0, button.getBoundingClientRect().top - top);
      });
    }
  }
  choose(readStored(storageKey) ?? "");
}

function listTabs(group: HTMLElement, number: number): Tab[] {
  const samples = [...group.querySelectorAll<HTMLElement>(".sample")];
  const list = document.createElement("div");
  list.role = "tablist";
  list.ariaLabel = "Language";
  const tabs = samples.map((sample, index) => {
    const label = sample.dataset.label ?? "";
    const button = document.createElement("button");
    button.type = "button";
    button.role = "tab";
    button.textContent = label;
    button.id = `tab-${number}-${index}`;
    sample.id = `sample-${number}-${index}`;
    sample.role = "tabpanel";
    sample.setAttribute("aria-labelledby", button.id);
    button.setAttribute("aria-controls", sample.id);
    sample.querySelector("figcaption")?.remove();
    list.append(button);
    return { button, sample, label };
  });
  list.addEventListener("keydown", (event) => {
    const offset = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (offset === undefined) return;
    event.preventDefault();
    const index = tabs.findIndex(({ button }) => button === document.activeElement);
    const next = tabs[(index + offset + tabs.length) % tabs.length];
    next?.button.focus();
    next?.button.click();
  });
  const bar = document.createElement("div");
  bar.className = "tabs";
  bar.append(list);
  group.prepend(bar);
  return tabs;
}

/** The first tab if none has the label. */
function select(tabs: readonly Tab[], label: string): void {
  const selected = tabs.find((tab) => tab.label === label) ?? tabs[0];
  for (const tab of tabs) {
    const isSelected = tab === selected;
    tab.button.ariaSelected = String(isSelected);
    tab.button.tabIndex = isSelected ? 0 : -1;
    tab.sample.hidden = !isSelected;
  }
}
