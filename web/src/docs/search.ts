import type MiniSearch from "minisearch";

type SearchHit = { id: string; title: string; page: string; excerpt: string };

const maxHits = 12;

/** Opened by its button and by Ctrl K; the first time, it loads the index. */
export function addSearch(): void {
  const dialog = document.querySelector<HTMLDialogElement>(".search-dialog");
  const input = dialog?.querySelector("input");
  const list = dialog?.querySelector("[role=listbox]");
  const state = dialog?.querySelector(".search-state");
  const file = document.querySelector<HTMLElement>("[data-search]")?.dataset.search;
  if (!dialog || !input || !list || !state || file === undefined) return;

  let index: MiniSearch | null = null;
  let selectedIndex = -1;

  const open = async () => {
    document.getElementById("menu")?.hidePopover();
    dialog.showModal();
    input.select();
    if (index !== null) return;
    try {
      index = await loadIndex(file);
      show();
    } catch {
      state.textContent = "The search index could not be loaded. Try again.";
    }
  };

  const show = () => {
    const query = input.value.trim();
    const results = (index?.search(query) ?? []) as unknown as SearchHit[];
    list.replaceChildren(...results.slice(0, maxHits).map(makeOption));
    input.ariaExpanded = String(results.length > 0);
    const isEmpty = query !== "" && results.length === 0 && index !== null;
    state.textContent = isEmpty ? `No results for “${query}”` : "";
    select(results.length > 0 ? 0 : -1);
  };

  const select = (optionIndex: number) => {
    selectedIndex = optionIndex;
    for (const [number, option] of [...list.children].entries()) {
      option.ariaSelected = String(number === optionIndex);
      if (number === optionIndex) option.scrollIntoView({ block: "nearest" });
    }
    const id = list.children[optionIndex]?.id;
    if (id === undefined) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", id);
  };

  const go = (option: Element | undefined) => {
    const href = option instanceof HTMLElement ? option.dataset.href : undefined;
    if (href === undefined) return;
    dialog.close();
    location.assign(href);
  };

  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const count = list.children.length;
    if (event.key === "Enter") go(list.children[selectedIndex]);
    if (step === undefined || count === 0) return;
    event.preventDefault();
    select((selectedIndex + step + count) % count);
  });
  list.addEventListener("click", ({ target }) => {
    if (target instanceof Element) go(target.closest("[role=option]") ?? undefined);
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!dialog.open) void open();
  });
  for (const button of document.querySelectorAll<HTMLElement>("[data-open-search]")) {
    button.hidden = false;
    button.addEventListener("click", () => void open());
  }
}

async function loadIndex(file: string): Promise<MiniSearch> {
  const [response, { default: Index }, { searchOptions }] = await Promise.all([
    fetch(file),
    import("minisearch"),
    import("../../../src/http/docs-site/html/search-options.ts"),
  ]);
  return await Index.loadJSONAsync(await response.text(), searchOptions);
}

function makeOption({ id, title, page, excerpt }: SearchHit, number: number): HTMLElement {
  const option = document.createElement("div");
  option.role = "option";
  option.id = `found-${number}`;
  option.dataset.href = id;
  const heading = document.createElement("b");
  heading.textContent = title;
  const detail = document.createElement("span");
  detail.textContent = title === page ? excerpt : `${page} · ${excerpt}`;
  option.append(heading, detail);
  return option;
}
