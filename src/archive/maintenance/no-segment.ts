import { EarshotError } from "../../lib/errors.ts";

export const noSegment = (name: string): EarshotError =>
  new EarshotError("wrong_use", `there is no segment ${name}`, {
    status: 400,
    hint: "earshot archive stats --json lists them; a name is a platform and a number, such as x/3",
  });
