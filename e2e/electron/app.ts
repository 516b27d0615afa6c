import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { _electron, type ElectronApplication, type Page, test as plain } from "@playwright/test";
import { toolPath } from "../../src-main/config/tools.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));

/** The app in a state folder of its own, as a person starts it. */
export class HoxApp {
  readonly #electron: ElectronApplication;
  readonly page: Page;

  private constructor(electron: ElectronApplication, page: Page) {
    this.#electron = electron;
    this.page = page;
  }

  static async start(stateFolder: string, folder?: string): Promise<HoxApp> {
    const asRoot = process.platform === "linux" && process.getuid?.() === 0;
    const electron = await _electron.launch({
      executablePath: toolPath("electron"),
      args: [...(asRoot ? ["--no-sandbox"] : []), project, ...(folder === undefined ? [] : [folder])],
      env: { ...process.env, HOX_STATE: stateFolder } as Record<string, string>,
    });
    return new HoxApp(electron, await electron.firstWindow());
  }

  /** Answers the system's folder dialog, which no test can click. */
  async willPick(folder: string): Promise<void> {
    await this.#electron.evaluate(({ dialog }, path) => {
      dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [path] });
    }, folder);
  }

  close(): Promise<void> {
    return this.#electron.close();
  }
}

/** A jj repository with one described change. */
export function createRepository(folder: string, description: string): string {
  const repository = join(folder, "repository");
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
