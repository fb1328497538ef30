import type { Reporter, TestModule } from "vitest/node";

/** Prints `N passed, N failed, N skipped` last, for CI. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      if (module.state() === "failed" && module.errors().length > 0) counts.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state in counts) counts[state as keyof typeof counts] += 1;
      }
    }
    process.stdout.write(
      `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`,
    );
  }
}
