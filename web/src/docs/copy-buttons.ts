const feedbackMs = 1_500;

export function addCopyButtons(): void {
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
