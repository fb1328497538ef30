import { EarshotError } from "../../lib/errors.ts";

export const noSegment = (name: string): EarshotError =>
  new EarshotError("wrong_use", `segment ${name} not found`, {
    status: 400,
    hint: "use a name such as x/3, from earshot archive stats --json",
  });
