import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { WindowPreferences } from "#shared/contract/settings.ts";
import { hostArguments } from "../build/host-arguments.mjs";
import { toolPath } from "../src-main/config/tools.ts";
import { trustRepositoryConfig } from "../src-main/config/write-settings.ts";

/** The build under test; `HOX_OUT` names another one than `out/`. */
export const builtFolder = process.env.HOX_OUT ?? fileURLToPath(new URL("../out", import.meta.url));
const headless = join(builtFolder, "main", "headless.js");
const run = promisify(execFile);

/** A folder for one test: the host's state, repositories, and a separate jj configuration. */
export class Playground {
  readonly folder: string;
  readonly state: string;
  readonly environment: NodeJS.ProcessEnv;

  private constructor(folder: string) {
    this.folder = folder;
    this.state = join(folder, "state");
    const { ANTHROPIC_API_KEY: _, ANTHROPIC_BASE_URL: __, DISPLAY: ___, ...environment } = process.env;
    // npm's folder of invocation is not the folder of a test.
    delete environment.INIT_CWD;
    this.environment = { ...environment, JJ_CONFIG: join(folder, "jj.toml"), HOX_STATE: this.state };
  }

  static async make(): Promise<Playground> {
    const playground = new Playground(await mkdtemp(join(tmpdir(), "hox-e2e-")));
    await writeFile(
      join(playground.folder, "jj.toml"),
      '[user]\nname = "Test"\nemail = "test@example.org"\n',
    );
    return playground;
  }

  /** Sets up the window before the host starts, as a user has left it. */
  async prefer(window: Partial<WindowPreferences>): Promise<void> {
    await mkdir(this.state, { recursive: true });
    await writeFile(join(this.state, "settings.json"), JSON.stringify({ window }));
  }

  /** How the window is set up, as the host has it on disk. */
  async preferences(): Promise<Partial<WindowPreferences>> {
    return JSON.parse(await readFile(join(this.state, "settings.json"), "utf8")).window;
  }

  /** Whoever answers as the model, in every host that is started from now on. */
  answeredBy({ apiKey, url }: { readonly apiKey: string; readonly url: string }): void {
    Object.assign(this.environment, { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: url });
  }

  /** Settings of a repository as its user has written them, who trusts them. */
  async configure(root: string, settings: string): Promise<void> {
    await mkdir(join(root, ".hox"), { recursive: true });
    await writeFile(join(root, ".hox", "config.toml"), settings);
    await trustRepositoryConfig(this.state, root);
  }

  /** A repository with settings, all of it on `main`. */
  configuredRepository(name: string, settings: string): Promise<string> {
    return this.filledRepository(name, { ".hox/config.toml": settings });
  }

  /** A repository with these files, each in a separate change in this order, all of it on `main`. */
  async filledRepository(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    const root = await this.repository(name);
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
      await this.jj(root, ["commit", "-m", path]);
    }
    await this.jj(root, ["bookmark", "set", "main", "-r", "@-"]);
    await trustRepositoryConfig(this.state, root);
    return root;
  }

  /** A jj repository with one change per description, oldest first, and an empty working copy on top. */
  async repository(name: string, descriptions: readonly string[] = ["first"]): Promise<string> {
    const root = join(this.folder, name);
    await mkdir(root);
    await this.jj(root, ["git", "init", "--colocate", "."]);
    for (const [index, description] of descriptions.entries()) {
      await writeFile(join(root, `file-${index}.txt`), `${description}\n`);
      await this.jj(root, ["commit", "-m", description]);
    }
    return root;
  }

  /** jj as a user in a terminal runs it. */
  async jj(root: string, args: readonly string[]): Promise<string> {
    const { stdout } = await run(toolPath("jj"), ["--no-pager", "--color=never", ...args], {
      cwd: root,
      env: this.environment,
    });
    return stdout;
  }

  async git(folder: string, args: readonly string[]): Promise<string> {
    await mkdir(folder, { recursive: true });
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
    const { stdout } = await run(toolPath("git"), [...identity, ...args], {
      cwd: folder,
      env: this.environment,
    });
    return stdout;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** The real headless host, as it is built. */
export class TestHost {
  readonly #process: ChildProcess;
  #output = "";
  #used = 0;

  /** Id of its process. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  private constructor(child: ChildProcess) {
    this.#process = child;
    const take = (text: Buffer): void => {
      this.#output += text.toString();
    };
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
  }

  static async start(
    playground: Pick<Playground, "state" | "environment">,
    options: {
      folder?: string;
      pace?: number;
      /** Paths of a certificate and its key: it listens for other people as well. */
      people?: { readonly cert: string; readonly key: string };
    } = {},
  ): Promise<TestHost> {
    if (!existsSync(headless)) throw new Error(`${headless} is not built: run \`npm run build\`.`);
    const child = spawn(
      toolPath("node"),
      [
        ...hostArguments,
        headless,
        "--state",
        playground.state,
        "--pace",
        String(options.pace ?? 0),
        ...(options.people
          ? [
              ...["--listen", "127.0.0.1", "--tls-cert", options.people.cert],
              ...["--tls-key", options.people.key],
            ]
          : []),
        ...(options.folder ? [options.folder] : []),
      ],
      { cwd: dirname(headless), env: playground.environment, stdio: ["ignore", "pipe", "pipe"] },
    );
    const host = new TestHost(child);
    await host.#until(() => host.#addresses().length > 0);
    return host;
  }

  /** An unused address; the host prints the next one when it was used. */
  async address(): Promise<string> {
    await this.#until(() => this.#addresses().length > this.#used);
    return this.#addresses()[this.#used++] as string;
  }

  /** Where other people open it. */
  async peopleOrigin(): Promise<string> {
    const origin = () => /Other people open (\S+)\./u.exec(this.#output)?.[1];
    await this.#until(() => origin() !== undefined);
    return origin() as string;
  }

  get output(): string {
    return this.#output;
  }

  /** Ends it as a user does, and answers how long it took (ms). */
  async stop(): Promise<number> {
    return this.#end("SIGTERM");
  }

  /** Ends it as a power cut does. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Nothing comes from it any more, and its sockets stay open: as on a machine that has no time for it. */
  freeze(): void {
    this.#process.kill("SIGSTOP");
  }

  thaw(): void {
    this.#process.kill("SIGCONT");
  }

  async #end(signal: NodeJS.Signals): Promise<number> {
    const started = performance.now();
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = new Promise((resolve) => this.#process.once("exit", resolve));
      this.#process.kill(signal);
      // One that a test has frozen hears of it afterwards.
      this.thaw();
      await ended;
    }
    return performance.now() - started;
  }

  #addresses(): readonly string[] {
    return this.#output.match(/http:\/\/127\.0\.0\.1:\d+\/#token=\S+/gu) ?? [];
  }

  async #until(true_: () => boolean): Promise<void> {
    const deadline = Date.now() + 90_000;
    while (!true_()) {
      if (this.#process.exitCode !== null || Date.now() > deadline) {
        throw new Error(`The host said no address:\n${this.#output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
