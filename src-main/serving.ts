import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BrowserWindow, hasDisplay, openBrowserWindow } from "./browser-window.ts";
import { createHost } from "./host.ts";
import { writeServingNote } from "./transport/serving-note.ts";
import { tokenMinutes } from "./transport/sessions.ts";
import { type LoopbackServer, serveLoopback } from "./transport/web-socket.ts";
import { version } from "./version.ts";

export interface HeadlessOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly stateFolder: string;
  readonly folder: string | null;
  /** Also where another host works on the folder: that one is asked to let go. */
  readonly takeOver?: boolean;
  /** Open a window where there is a display, and end with it. */
  readonly window: boolean;
  readonly rehearsalPace: number;
  readonly print: (line: string) => void;
}

/** Ending may take so long; after that the process goes, and the next start mends what was cut. */
const endMs = 5_000;

/** The host without Electron, for a browser window or a remote machine. Resolves when it has ended, with an exit code. */
export async function runHeadless(options: HeadlessOptions): Promise<number> {
  const { print } = options;
  const files = rendererFolder();
  // From the first moment: a signal that comes while a folder is opened must save as well.
  const interrupted = signalled();
  const host = await createHost({
    shell: "browser",
    version: version(),
    stateFolder: options.stateFolder,
    rehearsalPace: options.rehearsalPace,
  });
  let server: LoopbackServer;
  let removeNote: () => Promise<void>;
  let window: BrowserWindow | null = null;
  try {
    server = await serveLoopback(host, {
      port: options.port,
      files,
      // The address that was printed lets nobody else in; whoever needs another finds it here.
      onEntered: () => {
        if (window) void window.entered();
        else print(`Used. For another browser:\n\n  ${server.address()}\n`);
      },
    });
    removeNote = await writeServingNote(options.stateFolder, server);
  } catch (error) {
    await host.close();
    throw error;
  }
  if (options.window && hasDisplay(process.platform, process.env)) {
    try {
      window = await openBrowserWindow(server.address(), options.stateFolder);
      print("Hox runs in its own window; closing it ends Hox.");
    } catch (error) {
      print(`No browser window could be opened: ${(error as Error).message}`);
    }
  }
  if (!window) {
    print(
      `Open this address in a browser (it lets one browser in, once, within ${tokenMinutes} minutes; ` +
        `\`hox address\` prints another):\n\n  ${server.address()}\n`,
    );
    print(
      `From another machine, first: ssh -N -L ${server.port}:127.0.0.1:${server.port} ${hostname()}\n` +
        "Ctrl-C ends Hox; a run goes on at the next start.",
    );
  }
  if (options.folder !== null) {
    const { folder, takeOver } = options;
    const open = async (): Promise<void> => {
      await host.openFolder(folder);
      if (takeOver) await host.takeOver();
    };
    await open().catch((error: Error & { remedy?: string | null }) => {
      print(`${error.message}${error.remedy ? ` ${error.remedy}` : ""}`);
    });
  }
  const why = await Promise.race([
    interrupted,
    window?.closed.then(() => "window" as const) ?? new Promise<never>(() => {}),
  ]);
  if (why !== "window") print("Saving…");
  const timer = setTimeout(() => {
    print("Saving took too long; what was cut is mended at the next start.");
    process.exit(1);
  }, endMs);
  await window?.close();
  await removeNote();
  await server.close();
  await host.close();
  clearTimeout(timer);
  return 0;
}

function signalled(): Promise<"signal"> {
  return new Promise((resolve) => {
    // Not `once`: while jj runs, execa watches signals too and ends the process when it finds itself alone.
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => resolve("signal"));
  });
}

/** `out/renderer` beside `out/main`, or from the sources, the one that was built last. `HOX_RENDERER` names another. */
export function rendererFolder(): string {
  if (process.env.HOX_RENDERER) return process.env.HOX_RENDERER;
  const here = dirname(fileURLToPath(import.meta.url));
  const candidates = [
    join(here, "..", "renderer"),
    join(here, "..", "..", "renderer"),
    join(here, "..", "out", "renderer"),
  ];
  const found = candidates.find((folder) => existsSync(join(folder, "index.html")));
  if (!found) throw new Error("The window's files are not built. Run `npm run build` first.");
  return found;
}
