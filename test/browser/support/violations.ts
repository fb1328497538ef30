import axe from "axe-core";
import type { Page } from "playwright-core";

/** Violations found by axe-core: rule, element, reason. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  // The page's CSP allows only its own scripts, so axe is injected by the browser.
  await page.evaluate(axe.source);
  return await page.evaluate(async () => {
    const checker = Reflect.get(window, "axe") as typeof axe;
    const { violations } = await checker.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${target.join(" ")}: ${failureSummary}`),
    );
  });
}
