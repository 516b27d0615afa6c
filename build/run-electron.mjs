import { handOver } from "./hand-over.mjs";

/** Without a window within this time, Electron's program has not come so far as Hox's own code. */
const startMs = 30_000;
/** What it said last is enough to know why. */
const keptCharacters = 20_000;

/**
 * Reasons for which Electron's program ends before it runs anything of ours, by what it says of them.
 * @type {readonly { says: RegExp, why: string, remedy: string }[]}
 */
const known = [
  {
    says: /SUID sandbox helper|No usable sandbox|sandbox\/linux.*(?:Operation not permitted|EPERM)|credentials\.cc.*Permission denied/i,
    why: "Electron's sandbox can't start (this system does not allow user namespaces for unknown programs)",
    remedy:
      "allow it with an AppArmor profile that has `userns,` for Electron's program, or sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
  },
  {
    says: /error while loading shared libraries: (\S+?):/,
    why: "Electron needs a missing system library ($1)",
    remedy: "install the package that has it",
  },
  {
    says: /Missing X server|cannot open display|Unable to open X display|Failed to connect to (?:the )?Wayland/i,
    why: "Electron cannot reach the display",
    remedy: "check DISPLAY or WAYLAND_DISPLAY",
  },
];

/**
 * Why Electron's program has ended before it began; null when it had begun, or ended as somebody wanted it.
 * @param {{ code: number, signal: NodeJS.Signals | null, ms: number, output: string }} end
 * @returns {string | null} one line with the remedy
 */
export function whyNotStarted({ code, signal, ms, output }) {
  if (ms > startMs) return null;
  const isAborted = signal !== null && ["SIGTRAP", "SIGABRT", "SIGILL", "SIGSEGV", "SIGBUS"].includes(signal);
  // The linker's word, and what a shell makes of those signals.
  const isNoStart = isAborted || [126, 127, 132, 133, 134, 135, 139].includes(code);
  for (const { says, why, remedy } of known) {
    const found = says.exec(output);
    if (found && code !== 0) return `${why.replace("$1", found[1] ?? "")}; ${remedy}`;
  }
  return isNoStart
    ? `Electron exited immediately (${signal ?? `code ${code}`}); \`HOX_ELECTRON=off\` skips it`
    : null;
}

/**
 * Runs Electron in our place.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<{ code: number, notStarted: string | null }>}
 */
export async function runElectron(program, args, options = {}) {
  const begun = performance.now();
  let output = "";
  /** @type {NodeJS.Signals | null} */
  let signal = null;
  const code = await handOver(program, args, {
    ...options,
    onError: (text) => {
      if (output.length < keptCharacters) output += text;
    },
    onSignal: (name) => {
      signal = name;
    },
  });
  return { code, notStarted: whyNotStarted({ code, signal, ms: performance.now() - begun, output }) };
}
