import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe-core finds wrong with the page as it stands: rule, place, reason. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  // As the page's policy allows no script but its own, axe comes by the browser's tools.
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
