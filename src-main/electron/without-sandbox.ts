import { app } from "electron";
import { rehearsalPace } from "../rehearsal-pace.ts";
import { runHeadless } from "../serving.ts";

/**
 * Whether Chromium's sandbox was given up for us. The start script of an AppImage does that by itself where the system
 * refuses user namespaces, and says nothing. As root there is none to give up.
 */
export const isSandboxGivenUp = (): boolean =>
  process.platform === "linux" &&
  app.isPackaged &&
  process.getuid?.() !== 0 &&
  process.argv.includes("--no-sandbox");

/** Shows no page in a process that nothing confines: the person's own browser shows it, which has its sandbox. */
export async function serveWithoutWindow(options: {
  readonly stateFolder: string;
  readonly folder: string | null;
}): Promise<void> {
  app.disableHardwareAcceleration();
  await app.whenReady();
  console.error(
    "Hox: this system does not allow the user namespaces that Electron's sandbox needs, so Hox opens in your browser. " +
      "For a desktop window, install the .deb, which includes an AppArmor profile, or run " +
      "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
  );
  const code = await runHeadless({
    ...options,
    port: 0,
    window: true,
    rehearsalPace: rehearsalPace(),
    print: (line) => console.log(line),
  });
  app.exit(code);
}
