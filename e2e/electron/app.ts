import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { _electron, type ElectronApplication, expect, type Page, test as plain } from "@playwright/test";
import { toolPath } from "../../src-main/config/tools.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));

const asRoot = process.platform === "linux" && process.getuid?.() === 0;
const argumentsFor = (folder: string | undefined): string[] => [
  ...(asRoot ? ["--no-sandbox"] : []),
  project,
  ...(folder === undefined ? [] : [folder]),
];
const environment = (stateFolder: string) =>
  ({ ...process.env, HOX_STATE: stateFolder, HOX_REHEARSAL_PACE: "0" }) as Record<string, string>;

/** The app with a new state folder, as a user starts it. */
export class HoxApp {
  readonly #electron: ElectronApplication;
  readonly #stateFolder: string;
  readonly page: Page;

  private constructor(electron: ElectronApplication, stateFolder: string, page: Page) {
    this.#electron = electron;
    this.#stateFolder = stateFolder;
    this.page = page;
  }

  static async start(stateFolder: string, folder?: string): Promise<HoxApp> {
    const electron = await _electron.launch({
      executablePath: toolPath("electron"),
      args: argumentsFor(folder),
      env: environment(stateFolder),
    });
    return new HoxApp(electron, stateFolder, await electron.firstWindow());
  }

  /** Starts the program without a debugger. */
  static startPlainly(stateFolder: string, folder: string): ChildProcess {
    return spawn(toolPath("electron"), argumentsFor(folder), {
      env: environment(stateFolder),
      stdio: ["ignore", "ignore", "pipe"],
    });
  }

  /** Starts the program once more beside this one; resolves with its exit code. */
  startAgain(folder: string): Promise<number | null> {
    const second = HoxApp.startPlainly(this.#stateFolder, folder);
    second.stderr?.resume();
    return new Promise((resolve, reject) => {
      second.once("error", reject);
      second.once("exit", resolve);
    });
  }

  /** Answers the system's folder dialog, which no test can click. */
  async willPick(folder: string): Promise<void> {
    await this.#electron.evaluate(({ dialog }, path) => {
      dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [path] });
    }, folder);
  }

  /** Runs a script in the page without Playwright, which waits for ever for a navigation that is refused. */
  inPage(script: string): Promise<unknown> {
    return this.#electron.evaluate(
      ({ BrowserWindow }, text) => BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(text),
      script,
    );
  }

  async minimize(): Promise<void> {
    await this.#electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize());
    await expect.poll(() => this.isMinimized()).toBe(true);
  }

  isMinimized(): Promise<boolean | undefined> {
    return this.#electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isMinimized());
  }

  async moveTo(bounds: { x: number; y: number; width: number; height: number }): Promise<void> {
    await this.#electron.evaluate(
      ({ BrowserWindow }, wanted) => BrowserWindow.getAllWindows()[0]?.setBounds(wanted),
      bounds,
    );
  }

  /** Ends it the way that `how` says, and answers with the exit code. */
  async end(how: "menu" | NodeJS.Signals): Promise<number | null> {
    const child = this.#electron.process();
    const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
    if (how === "menu") {
      await this.#electron.evaluate(({ Menu }) => {
        const items = (Menu.getApplicationMenu()?.items ?? []).flatMap((item) => item.submenu?.items ?? []);
        const quit = items.find(({ role }) => role === "quit");
        if (!quit) throw new Error("The menu has no way to quit.");
        // Once it has been answered: the connection goes with the app.
        setImmediate(() => quit.click());
      });
    } else child.kill(how);
    return ended;
  }

  close(): Promise<void> {
    return this.#electron.close();
  }
}

/** A jj repository with one described change. */
export function createRepository(folder: string, description: string, name = "repository"): string {
  const repository = join(folder, name);
  mkdirSync(repository);
  const jj = (...args: string[]) =>
    execFileSync(
      toolPath("jj"),
      ["--config", "user.name=Ann", "--config", "user.email=ann@example.org", ...args],
      {
        cwd: repository,
      },
    );
  jj("git", "init", "--no-colocate");
  writeFileSync(join(repository, "hello.txt"), "hello\n");
  jj("describe", "-m", description);
  return repository;
}

export const test = plain.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for a pattern as the first parameter
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), "hox-electron-"));
    await use(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  },
});
