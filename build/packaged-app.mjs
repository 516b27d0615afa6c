import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** What a busy machine may take for a window, and for saving everything. */
const patienceMs = { start: 90_000, answer: 5_000, close: 30_000 };

/** @returns {Promise<number>} a port that is free now */
const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });

/**
 * Evaluates an expression in the app's page.
 * @param {number} port of the page's debugger
 * @param {string} expression
 */
async function evaluateIn(port, expression) {
  const signal = AbortSignal.timeout(patienceMs.answer);
  /** @type {{ type: string, url: string, webSocketDebuggerUrl: string }[]} */
  const pages = JSON.parse(await (await fetch(`http://127.0.0.1:${port}/json/list`, { signal })).text());
  const page = pages.find((each) => each.type === "page" && each.url.startsWith("app:"));
  if (!page) return undefined;
  const socket = new WebSocket(page.webSocketDebuggerUrl);
  try {
    return await new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("the page does not respond")));
      socket.addEventListener("error", () => reject(new Error("the page's debugging port closed")));
      socket.addEventListener("close", () => resolve(undefined));
      socket.addEventListener("open", () =>
        socket.send(
          JSON.stringify({
            id: 1,
            method: "Runtime.evaluate",
            params: { expression, returnByValue: true },
          }),
        ),
      );
      socket.addEventListener("message", ({ data }) =>
        resolve(JSON.parse(String(data)).result?.result?.value),
      );
    });
  } finally {
    socket.close();
  }
}

/**
 * The program with its page's debugger at this port, and how it ends.
 * @param {string} program
 * @param {number} port
 * @param {{ folder: string, env: NodeJS.ProcessEnv }} options
 */
function launch(program, port, { folder, env }) {
  const asRoot = process.platform === "linux" && process.getuid?.() === 0;
  const child = spawn(
    program,
    [
      `--remote-debugging-port=${port}`,
      "--remote-allow-origins=*",
      // Chromium's own sandbox does not start as root.
      ...(asRoot ? ["--no-sandbox"] : []),
      folder,
    ],
    { env, stdio: ["ignore", "pipe", "pipe"], detached: process.platform !== "win32" },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes) => {
      output = (output + bytes).slice(-20_000);
    });
  /** @type {Promise<number | string>} */
  const ended = new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(code ?? String(signal)));
  });
  /** @type {number | string | null} */
  let end = null;
  ended.then((how) => {
    end = how;
  });
  return {
    child,
    ended,
    /** How it has ended; null while it lives. */
    end: () => end,
    failure: /** @param {string} what */ (what) =>
      new Error(`${program}: ${what}${output.trim() ? `\n${output.trim()}` : ""}`),
  };
}

/**
 * An app as a user starts it. A package cannot be driven as the smoke suite drives Electron (its fuses are off), so
 * its page is asked through the debugging port of the page alone.
 * @param {string} program
 * @param {{ folder: string, env: NodeJS.ProcessEnv }} options
 */
export async function startApp(program, options) {
  const port = await freePort();
  const { child, ended, end, failure } = launch(program, port, options);

  /**
   * Asks again until there is an answer.
   * @template T
   * @param {string} what
   * @param {() => Promise<T | undefined>} ask
   * @returns {Promise<T>}
   */
  async function until(what, ask) {
    const deadline = Date.now() + patienceMs.start;
    /** @type {unknown} */
    let last;
    while (Date.now() < deadline) {
      if (end() !== null) throw failure(`it ended (${end()}) before ${what}`);
      const answer = await ask().catch((error) => {
        last = error;
        return undefined;
      });
      if (answer !== undefined) return answer;
      await wait(100);
    }
    throw failure(`no ${what} within ${patienceMs.start / 1000} s${last ? ` (${last})` : ""}`);
  }

  /** Ends it without its consent, with all that it has started. */
  function kill() {
    if (end() !== null || child.pid === undefined) return;
    if (process.platform === "win32") spawn("taskkill", ["/pid", String(child.pid), "/t", "/f"]);
    else process.kill(-child.pid, "SIGKILL");
  }

  return {
    /** Waits until the window shows these words. @param {string} words */
    shows: (words) =>
      until(`a window that shows “${words}”`, async () => {
        const text = await evaluateIn(port, "document.body.innerText");
        return typeof text === "string" && text.includes(words) ? text : undefined;
      }),
    /** Closes it as a user does, and answers how it ended: 0 when it has saved everything. */
    async close() {
      // On a Mac an app outlives its window.
      if (process.platform === "darwin") child.kill("SIGTERM");
      // A moment later, so that the answer comes before the way for answers goes with the window.
      else await evaluateIn(port, "void setTimeout(() => window.close(), 200)");
      const how = await Promise.race([ended, wait(patienceMs.close, null, { ref: false })]);
      if (how === null) throw failure(`it did not exit within ${patienceMs.close / 1000} s after closing`);
      if (how !== 0) throw failure(`it exited with ${how} when it was closed`);
    },
    kill,
  };
}
