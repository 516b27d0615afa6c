/** The user's settings. Stored by the host, because a browser's storage belongs to one port. */

import { z } from "zod";
import type { OpenerKind } from "../domain/open-in/opener.ts";
import { maxAgentsAtOnce } from "../domain/worker/roles.ts";
import { line } from "./fields.ts";

/** Maximum of changes whose viewed files are stored. */
export const maxViewedChanges = 40;

export const fontSizes = { least: 12, most: 20 } as const;

const graphView = z.enum(["log", "canvas"]);
const savedFilter = z.strictObject({ name: line(100).min(1), text: z.string().min(1).max(2_000) });
const viewedFiles = z.strictObject({
  changeId: z.string().min(1).max(64),
  /** Path → identification of the viewed version. */
  files: z.record(z.string().max(4096), z.string().max(64)),
});

/** What a window keeps with the host, part by part. */
export const windowFields = {
  /** How the graph is shown: without a run, and while one is on screen. */
  view: graphView,
  runView: graphView,
  showQueue: z.boolean(),
  showRight: z.boolean(),
  showTime: z.boolean(),
  filterHides: z.boolean(),
  /** Width or height in pixels by name of the panel. */
  panes: z.record(z.string().max(40), z.number().int().min(0).max(10_000)),
  density: z.enum(["comfortable", "compact"]),
  /** Pixels of ordinary text; everything else follows. */
  fontSize: z.number().int().min(fontSizes.least).max(fontSizes.most),
  /** `unasked`: the user is asked the first time that it would help. */
  notifications: z.enum(["unasked", "on", "off"]),
  /** Whether what happens in a run shows itself for a while at the lower edge. */
  showEvents: z.boolean(),
  /** The tour of rehearsals: as it is, in one line, or left. */
  tour: z.enum(["open", "small", "left"]),
  savedFilters: z.array(savedFilter).max(50).readonly(),
  /** Files that the user has viewed, by change; the last viewed change comes last. */
  viewedFiles: z.array(viewedFiles).max(maxViewedChanges).readonly(),
};
const windowPreferences = z.strictObject(windowFields);

export type WindowPreferences = Readonly<z.infer<typeof windowPreferences>>;
export type SavedFilter = Readonly<z.infer<typeof savedFilter>>;
export type ViewedFiles = Readonly<z.infer<typeof viewedFiles>>;

export const defaultWindow: WindowPreferences = {
  view: "log",
  runView: "canvas",
  showQueue: true,
  showRight: true,
  showTime: false,
  filterHides: false,
  panes: {},
  density: "comfortable",
  fontSize: 13,
  notifications: "unasked",
  showEvents: true,
  tour: "open",
  savedFilters: [],
  viewedFiles: [],
};

/** Where the user is told what happens in runs; empty: nowhere. Never read from a repository. */
export const webhookAddress = z.union([
  z.literal(""),
  // A name and password in an address are refused by `fetch`.
  z
    .url({ protocol: /^https?$/u })
    .max(2_000)
    .regex(/^[a-z]+:\/\/[^/?#@]+(?:[/?#]|$)/iu),
]);

export const settingsFields = {
  theme: z.enum(["system", "light", "dark"]),
  model: line(100),
  maxParallelAgents: z.number().int().min(1).max(maxAgentsAtOnce),
  defaultMicroDollars: z.number().int().positive().nullable(),
  defaultTokens: z.number().int().positive().nullable(),
  /** The user explicitly allowed commands without a sandbox. */
  allowUnsandboxed: z.boolean(),
  webhook: webhookAddress,
  /** Agents of other makes that may use the user's own login in place of an API key. */
  subscriptions: z.array(line(40)).max(20).readonly(),
};
/** A proxy in front of the host that signs people in. Empty: there is none. Never read from a repository. */
export const proxyFields = {
  /** With the name of the person: `x-forwarded-user`. */
  header: z
    .string()
    .max(100)
    .regex(/^[A-Za-z0-9-]*$/u),
  /** The proxy's own address, as the host sees it. */
  address: line(100),
  /** The environment variable with a secret that the proxy shows in `x-hox-proxy-secret`. */
  secretEnv: z
    .string()
    .max(200)
    .regex(/^(?:[A-Za-z_]\w*)?$/u),
  /** Where people open it: `https://hox.example.com`. */
  publicAddress: z
    .string()
    .max(300)
    .regex(/^(?:https:\/\/[^/\s?#]+)?$/u),
};
export const openInFields = { editor: line(500), terminal: line(500), files: line(500) };

export interface Settings extends Readonly<z.infer<z.ZodObject<typeof settingsFields>>> {
  /** Commands that open places; empty: the first program that is there. Never read from a repository. */
  readonly openIn: Readonly<Record<OpenerKind, string>>;
  readonly proxy: Readonly<z.infer<z.ZodObject<typeof proxyFields>>>;
  readonly window: WindowPreferences;
}

/** What changes of the settings; of the window's and of what opens places, only the parts that are named. */
export const settingsPatch = z
  .strictObject({
    ...settingsFields,
    openIn: z.strictObject(openInFields).partial(),
    proxy: z.strictObject(proxyFields).partial(),
    window: windowPreferences.partial(),
  })
  .partial();

export type SettingsPatch = Partial<Omit<Settings, "window" | "openIn" | "proxy">> & {
  readonly proxy?: Partial<Settings["proxy"]>;
  readonly openIn?: Partial<Settings["openIn"]>;
  readonly window?: Partial<WindowPreferences>;
};
