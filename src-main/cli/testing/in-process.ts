import { vi } from "vitest";
import { runCommandLine } from "../program.ts";

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * `hox` with these words in this process, as somebody at `folder` would start it. For whatever needs no process of its own:
 * to start one takes longer than most commands, and there are hundreds in the tests.
 * @param env values of the environment, in force while it runs
 */
export async function hoxInProcess(
  args: readonly string[],
  { folder, env = {} }: { readonly folder: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Ended> {
  const output = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      output[name] += String(text);
      return true;
    }),
  );
  // Where npm was called counts as where one stands, so that no folder of this process has to change.
  const values = {
    ANTHROPIC_API_KEY: "",
    NO_COLOR: "1",
    ...env,
    npm_lifecycle_event: "test",
    INIT_CWD: folder,
  };
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, values);
  try {
    const code = await runCommandLine(args);
    const [stdout, stderr] = [output.stdout, output.stderr].map((text) => text.replace(/\n$/u, ""));
    return { code, stdout: stdout ?? "", stderr: stderr ?? "" };
  } finally {
    for (const spy of spies) spy.mockRestore();
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
}
