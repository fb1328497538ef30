import "../styles/tokens.css";
import "../styles/base.css";
import "../styles/layout.css";
import "../components/brand.css";
import "../components/button.css";
import "../components/code.css";
import "../components/dialog.css";
import "../components/field.css";
import "../components/tabs.css";
import "../shell.css";
import "./docs.css";
import { switchTheme } from "../theme.ts";
import { personaliseSamples } from "./personal-samples.ts";
import { showSampleTabs } from "./sample-tabs.ts";
import { addSearch } from "./search.ts";

/** Pages work without this script; see web/docs.html and src/http/docs-site/html. */
function main(): void {
  const button = document.querySelector<HTMLElement>("[data-switch-theme]");
  if (button !== null) {
    button.hidden = false;
    button.addEventListener("click", switchTheme);
  }
  unfoldContents();
  document.querySelector(".nav [aria-current]")?.scrollIntoView({ block: "nearest" });
  addCopyButtons();
  showSampleTabs();
  addSearch();
  void personaliseSamples();
}

/** Folds the contents on narrow screens only. */
function unfoldContents(): void {
  const contents = document.querySelector<HTMLDetailsElement>(".contents details");
  if (contents === null) return;
  const wideScreen = matchMedia("(width >= 80rem)");
  const apply = () => {
    contents.open = wideScreen.matches;
  };
  apply();
  wideScreen.addEventListener("change", apply);
  contents.addEventListener("click", ({ target }) => {
    if (!wideScreen.matches && target instanceof HTMLAnchorElement) contents.open = false;
  });
}

const feedbackMs = 1_500;

main();

function addCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
    button.addEventListener("click", () => void copyFrom(button));
  }
}

async function copyFrom(button: HTMLButtonElement): Promise<void> {
  const code = button.parentElement?.querySelector("code");
  if (code === null || code === undefined) return;
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    button.textContent = "Copied";
  } catch {
    // Browsers provide no clipboard on insecure origins.
    getSelection()?.selectAllChildren(code);
    button.textContent = "Selected";
  }
  setTimeout(() => {
    button.textContent = "Copy";
  }, feedbackMs);
}
