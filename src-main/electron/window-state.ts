import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

const bounds = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(400).max(20_000),
  height: z.number().int().min(300).max(20_000),
});
/** What the View menu can make of it, and what a page can still be read at. */
const zoom = z.number().min(0.25).max(5).catch(1).default(1);
const file = z.object({ bounds, maximized: z.boolean(), zoom });

export type Bounds = z.infer<typeof bounds>;
export type WindowState = {
  readonly bounds: Bounds | null;
  readonly maximized: boolean;
  /** How large everything is drawn; 1 as it is made. */
  readonly zoom: number;
};

const fresh: WindowState = { bounds: null, maximized: false, zoom: 1 };
const pathIn = (folder: string): string => join(folder, "window.json");

/** At least this much of a window must be on a screen so that it can be grabbed. */
const grip = 80;

const shows = (screen: Bounds, window: Bounds): boolean =>
  Math.min(screen.x + screen.width, window.x + window.width) - Math.max(screen.x, window.x) >= grip &&
  window.y >= screen.y - 1 &&
  screen.y + screen.height - window.y >= grip;

/** Where the window was, and how large all in it; nowhere when that screen is gone or the file is damaged. */
export function readWindowState(folder: string, screens: readonly Bounds[]): WindowState {
  try {
    const state = file.parse(JSON.parse(readFileSync(pathIn(folder), "utf8")));
    return screens.some((screen) => shows(screen, state.bounds)) ? state : { ...fresh, zoom: state.zoom };
  } catch {
    return fresh;
  }
}

/** Written at once: it happens while the window closes. */
export function writeWindowState(folder: string, state: z.infer<typeof file>): void {
  mkdirSync(dirname(pathIn(folder)), { recursive: true });
  writeFileSync(pathIn(folder), `${JSON.stringify(state)}\n`);
}
