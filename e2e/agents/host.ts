/** A repository with agents of other makes, and `hox run` in it, which can be killed and started again. */
import { type ChildProcess, spawn } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { trustRepositoryConfig } from "../../src-main/config/write-settings.ts";
import { killSandbox } from "../../src-main/tools/sandbox/long-running.ts";
import type { NamespaceInit } from "../../src-main/tools/tool-interface.ts";
import type { InboxItem } from "../../src-shared/contract/cards.ts";
import type { RunView, WorkerView } from "../../src-shared/contract/views/run.ts";
import { type HoxCommand, hox } from "../real/hox.ts";
import { ownEnvironment, type Surroundings, shell } from "../real/repository.ts";

const patienceMs = 120_000;

/** @param environment what agents need: folders of programs, keys */
export async function createRepository(
  command: HoxCommand,
  files: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>,
): Promise<Surroundings> {
  // Sockets of agents are below it, whose paths have to be short.
  const folder = mkdtempSync(join(tmpdir(), "hox-agents-"));
  const root = join(folder, "repo");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const gitSettings = join(folder, "gitconfig");
  writeFileSync(
    gitSettings,
    "[init]\ndefaultBranch = main\n[user]\nname = Pat User\nemail = pat@example.org\n[gc]\nauto = 0\n",
  );
  mkdirSync(join(folder, "jj"));
  const own = {
    GIT_CONFIG_GLOBAL: gitSettings,
    GIT_CONFIG_NOSYSTEM: "1",
    JJ_CONFIG: join(folder, "jj"),
    HOX_STATE: join(folder, "state"),
  };
  const there = { folder, root, environment: { ...environment, ...own } };
  const made = await shell("git init -q && git add -A && git commit -qm 'The beginning'", root, own);
  if (made.code !== 0) throw new Error(made.output);
  await hoxDo(command, ["init", "--yes"], there);
  await trustRepositoryConfig(own.HOX_STATE, root);
  return there;
}

export const removeRepository = ({ folder }: Surroundings): void =>
  rmSync(folder, { recursive: true, force: true });

interface Line {
  readonly kind: string;
  readonly run?: RunView;
  readonly text?: string;
  readonly inbox?: readonly InboxItem[];
}

/** `hox run` in a process of its own. */
export class HoxRun {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number>;
  #run: RunView | null = null;
  #code: number | null = null;
  #errors = "";
  #cards: readonly InboxItem[] = [];
  #wake: () => void = () => undefined;
  readonly notices: string[] = [];

  constructor([program, ...first]: HoxCommand, args: readonly string[], { root, environment }: Surroundings) {
    this.#child = spawn(program, [...first, "run", ...args, "--json"], {
      cwd: root,
      env: { ...ownEnvironment(), ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#ended = new Promise((resolve) =>
      this.#child.once("close", (code) => {
        this.#code = code ?? 1;
        this.#wake();
        resolve(this.#code);
      }),
    );
    this.#child.stderr?.on("data", (data: Buffer) => {
      this.#errors = (this.#errors + data.toString("utf8")).slice(-4_000);
    });
    if (this.#child.stdout)
      createInterface({ input: this.#child.stdout }).on("line", (line) => this.#take(line));
  }

  #take(text: string): void {
    const line = JSON.parse(text) as Line;
    if (line.kind === "run" && line.run) this.#run = line.run;
    else if (line.kind === "notice") this.notices.push(String(line.text));
    else if (line.kind === "inbox") this.#cards = line.inbox ?? [];
    else if (line.kind === "end" || line.kind === "error") this.notices.push(text.slice(0, 600));
    this.#wake();
  }

  get view(): RunView {
    if (this.#run === null) throw new Error(`The run did not begin. ${this.#errors}`);
    return this.#run;
  }

  worker(name: string): WorkerView | undefined {
    return this.#run?.workers.find((worker) => worker.name === name);
  }

  /** @throws Error after a time, or if the run ends before */
  async until(what: string, condition: (run: HoxRun) => boolean): Promise<void> {
    const end = performance.now() + patienceMs;
    while (this.#run === null || !condition(this)) {
      if (this.#code !== null) throw new Error(`${what} did not come: ${this.describe()}`);
      const left = end - performance.now();
      if (left <= 0) throw new Error(`${what} did not come in ${patienceMs / 1000} s: ${this.describe()}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** @returns its exit code. @throws Error after a time */
  async end(): Promise<number> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`The run did not end in ${patienceMs / 1000} s: ${this.describe()}`)),
        patienceMs,
      );
    });
    return Promise.race([this.#ended, late]).finally(() => clearTimeout(timer));
  }

  /** As a crash does: it can put nothing away. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  /** For errors: where it is. */
  describe(): string {
    const { stage, failure, workers } = this.#run ?? { stage: "not begun", failure: null, workers: [] };
    const each = workers.map(({ name, status, state }) => `${name} ${status}/${state}`).join(", ");
    const why = failure === null ? "" : `, ${failure.reason}`;
    const cards = this.#cards.map((card) => ("reason" in card ? `${card.kind}: ${card.reason}` : card.kind));
    return `${stage}${why} (${each}) ${cards.join("; ")} ${this.notices.slice(-4).join(" | ")} ${this.#errors.slice(-800)}`;
  }
}

/** A command of `hox` beside the run. @throws Error if it fails */
export async function hoxDo(
  command: HoxCommand,
  args: readonly string[],
  there: Surroundings,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { code, lines, errors } = await hox(command, args, there, () => undefined);
  if (code !== 0) throw new Error(`hox ${args.join(" ")}: ${errors.trim()}`);
  return lines;
}

/** Kills every sandbox of an agent that is there, with all in it. @returns how many */
export async function killRunners({ environment }: Surroundings): Promise<number> {
  const files = globSync(join(environment.HOX_STATE ?? "", "**", "agents", "*", "runner.json"));
  for (const file of files) {
    const { init } = JSON.parse(readFileSync(file, "utf8")) as { readonly init: NamespaceInit };
    await killSandbox(init);
  }
  return files.length;
}
