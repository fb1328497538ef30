import fc from "fast-check";
import { commands, finish } from "./commands.ts";
import { createFileEngine } from "./file-engine.ts";
import type { MachineEngine } from "./machine.ts";
import { makeWorld } from "./world.ts";

/** Returns the number of commands. */
export async function runJobMachine(
  parameters: { numRuns: number; seed: number },
  createEngine: () => Promise<MachineEngine> = createFileEngine,
): Promise<number> {
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.commands(commands, { maxCommands: 100, size: "max" }),
      async (drawnCommands) => {
        const world = await makeWorld(await createEngine());
        try {
          await fc.asyncModelRun(() => ({ model: {}, real: world }), drawnCommands);
          await finish(world);
        } finally {
          steps += world.steps;
          await world.machine.close();
        }
      },
    ),
    { ...parameters, endOnFailure: false },
  );
  return steps;
}
