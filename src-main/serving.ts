import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { endedLine } from "#shared/domain/text/format-text.ts";
import { type BrowserWindow, hasDisplay, openBrowserWindow } from "./browser-window.ts";
import { onEndSignal, reportUnhandledErrors } from "./end-signals.ts";
import { createHost } from "./host.ts";
import type { Host } from "./host-interface.ts";
import { log } from "./log/log.ts";
import { type PeopleServer, servePeople, trustedProxy } from "./transport/serve-people.ts";
import { writeServingNote } from "./transport/serving-note.ts";
import { tokenMinutes } from "./transport/sessions.ts";
import { type LoopbackServer, serveLoopback } from "./transport/web-socket.ts";
import { version } from "./version.ts";

export interface HeadlessOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly stateFolder: string;
  readonly folder: string | null;
  /** Even if another host has the folder open: it is asked to release it. */
  readonly takeOver?: boolean;
  /** Where others than the user of this machine open it; left out: nobody else does. */
  readonly listen?: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Open a window where there is a display, and end with it. */
  readonly window: boolean;
  readonly rehearsalPace: number;
  readonly print: (line: string) => void;
}

/** Time limit for ending; after that the process exits, and the next start repairs what was interrupted. */
const endMs = 15_000;

/** The host without Electron, for a browser window or a remote machine. Resolves when it has ended, with an exit code. */
export async function runHeadless(options: HeadlessOptions): Promise<number> {
  const { print } = options;
  reportUnhandledErrors(print);
  const files = rendererFolder();
  // From the first moment: a signal that comes while a folder is opened must save as well.
  const interrupted = untilInterrupted(print);
  const host = await createHost({
    shell: "browser",
    version: version(),
    stateFolder: options.stateFolder,
    rehearsalPace: options.rehearsalPace,
  });
  const shown = createShownWindow(print);
  let servers: Servers;
  try {
    servers = await startServers(host, files, options, (server) => {
      // The printed address works once; another one is shown here.
      if (!shown.entered()) print(`Address used. For another browser:\n\n  ${server.address()}\n`);
    });
  } catch (error) {
    await host.close();
    throw error;
  }
  const { server, people } = servers;
  if (options.window && hasDisplay(process.platform, process.env))
    await shown.open(server, options.stateFolder);
  if (!shown.isOpen()) printAddress(server, print);
  if (people !== null)
    print(`Other people open ${people.origin}. To invite one: hox people invite <name> --role watch\n`);
  if (options.folder !== null) openFolder(host, options.folder, options);
  const why = await Promise.race([interrupted, shown.closed]);
  shown.end();
  if (why !== "window") print(host.endingLine());
  await endInTime(print, [() => host.close(), servers.close, shown.close]);
  return 0;
}

interface Servers {
  readonly server: LoopbackServer;
  /** For others than the user of this machine. */
  readonly people: PeopleServer | null;
  /** Of all of them, and of the note that terminals find them by. */
  readonly close: () => Promise<void>;
}

async function startServers(
  host: Host,
  files: string,
  { port, listen, tls, stateFolder }: HeadlessOptions,
  onEntered: (server: LoopbackServer) => void,
): Promise<Servers> {
  // First: where others could not use it safely, nobody is served.
  const people = listen === undefined ? null : await servePeopleFor(host, files, listen, tls);
  const server: LoopbackServer = await serveLoopback(host, {
    ...{ port, files },
    onEntered: () => onEntered(server),
  });
  const removeNote = await writeServingNote(stateFolder, {
    ...{ port: server.port, secret: server.secret },
    ...(people === null ? {} : { people: people.origin, workers: people.workers ?? undefined }),
  });
  return {
    ...{ server, people },
    async close() {
      await Promise.all([server.close(), people?.close(), removeNote()]);
    },
  };
}

/** @throws ServerError where that would be unsafe, before anything is served */
function servePeopleFor(
  host: Host,
  files: string,
  listen: string,
  tls: HeadlessOptions["tls"],
): Promise<PeopleServer> {
  const { proxy } = host.settings();
  const publicAddress = proxy.publicAddress === "" ? null : proxy.publicAddress;
  return servePeople(host, {
    ...{ listen, files, people: host.people, tls: tls ?? null, publicAddress },
    proxy: trustedProxy(proxy, process.env),
  }).then((served) => {
    host.listensForPeople(served);
    return served;
  });
}

const untilInterrupted = (print: (line: string) => void): Promise<"signal"> =>
  new Promise((resolve) =>
    onEndSignal(
      () => resolve("signal"),
      (code) => {
        print(endedLine);
        process.exit(code);
      },
    ),
  );

function printAddress(server: LoopbackServer, print: (line: string) => void): void {
  print(
    `Open this address in a browser (valid once, for one browser, for ${tokenMinutes} minutes; ` +
      `for another address, run \`hox address\`):\n\n  ${server.address()}\n`,
  );
  print(
    `From another machine, first: ssh -N -L ${server.port}:127.0.0.1:${server.port} ${hostname()}\n` +
      "Press Ctrl-C to quit Hox. Active runs resume at the next start.",
  );
}

/** A window that Hox opened and whose end ends Hox; if it does not stay open, Hox continues without it. */
function createShownWindow(print: (line: string) => void) {
  const { promise: closed, resolve: setClosed } = Promise.withResolvers<"window">();
  let window: BrowserWindow | null = null;
  let isEnding = false;
  return {
    closed,
    isOpen: () => window !== null,
    /** Says whether it is the one that was let in. */
    entered(): boolean {
      void window?.entered();
      return window !== null;
    },
    async open(server: LoopbackServer, stateFolder: string): Promise<void> {
      try {
        window = await openBrowserWindow(server.ownAddress(), stateFolder);
      } catch (error) {
        log.warn("browser window not opened", { error });
        return print(`Could not open a browser window: ${(error as Error).message}`);
      }
      print("Hox runs in its own window. Close it to quit Hox.");
      void window.closed.then(
        () => setClosed("window"),
        (error: Error) => {
          if (isEnding) return;
          window = null;
          log.warn("browser window closed", { error });
          print(`The browser window closed: ${error.message}. Hox keeps running without it.`);
          printAddress(server, print);
        },
      );
    },
    end(): void {
      isEnding = true;
    },
    close: async (): Promise<void> => window?.close(),
  };
}

/** Nobody waits for it: a signal that comes meanwhile must be heard. */
function openFolder(
  host: Awaited<ReturnType<typeof createHost>>,
  folder: string,
  { takeOver, print }: HeadlessOptions,
): void {
  const open = async (): Promise<void> => {
    try {
      await host.openFolder(folder);
    } catch (error) {
      host.askAboutFolder(folder);
      throw error;
    }
    if (takeOver) await host.takeOver();
  };
  void open().catch((error: Error & { remedy?: string | null }) => {
    log.warn("repository not opened", { error });
    print(`${error.message}${error.remedy ? ` ${error.remedy}` : ""}`);
  });
}

/** Side by side: a browser that takes its time must not take it from the saving. */
async function endInTime(
  print: (line: string) => void,
  endings: readonly (() => Promise<void>)[],
): Promise<void> {
  const timer = setTimeout(() => {
    log.error("saving took too long");
    print("Saving took too long. Incomplete data is repaired at the next start.");
    process.exit(1);
  }, endMs);
  const ends = await Promise.allSettled(endings.map((end) => end()));
  clearTimeout(timer);
  for (const end of ends) {
    if (end.status !== "rejected") continue;
    log.error("not everything was saved", { error: end.reason });
    throw end.reason;
  }
}

/** `out/renderer` next to `out/main`, or from the sources, the last build. `HOX_RENDERER` names another. */
function rendererFolder(): string {
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

/** Milliseconds per ~20 characters of a scripted model's answer: slow enough to follow. 0 is for tests. */
const defaultRehearsalPace = 60;

/** The pace that `HOX_REHEARSAL_PACE` names, or the usual one. */
export function rehearsalPace(text: string | undefined = process.env.HOX_REHEARSAL_PACE): number {
  if (text === undefined || text === "") return defaultRehearsalPace;
  const pace = Number(text);
  if (!Number.isFinite(pace) || pace < 0)
    throw new Error(`Invalid rehearsal pace "${text}": give milliseconds, 0 or more.`);
  return pace;
}
