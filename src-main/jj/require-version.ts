import { findTool } from "../config/tools.ts";
import { JjError } from "./errors.ts";
import type { Jj } from "./process.ts";

const checked = new Map<string, Promise<void>>();

/** Refuses a jj older than 0.44; asked once per program. @throws JjError `too-old` */
export function requireVersion(jj: Jj, cwd: string): Promise<void> {
  const tool = findTool("jj");
  const program = tool.found ? tool.path : "";
  let answer = checked.get(program);
  if (!answer) {
    answer = jj.run({ args: ["--version"], cwd }).then(({ stdout }) => {
      const match = /(?<!\d)(\d+)\.(\d+)/.exec(stdout);
      if (match && (Number(match[1]) > 0 || Number(match[2]) >= 44)) return;
      throw new JjError({
        kind: "too-old",
        message: `${stdout.trim()} is too old: Hox needs jj 0.44 or later.`,
      });
    });
    answer.catch(() => checked.delete(program));
    checked.set(program, answer);
  }
  return answer;
}
