import { resolve } from "node:path";

/**
 * The folder named on the command line. Unpacked, Electron's own first argument is the app's folder; switches
 * are Chromium's.
 */
export function folderArgument(argv: readonly string[], packaged: boolean, from: string): string | null {
  const [folder] = argv
    .slice(1)
    .filter((argument) => !argument.startsWith("-"))
    .slice(packaged ? 0 : 1);
  return folder === undefined ? null : resolve(from, folder);
}
