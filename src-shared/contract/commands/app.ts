import { z } from "zod";
import { openerKinds } from "../../domain/open-in/opener.ts";
import { tempos } from "../../domain/rehearsal/tempo.ts";
import type { AgentReport } from "../../domain/worker/agent-report.ts";
import { changeId } from "../fields.ts";
import { settingsPatch } from "../settings.ts";
import type { OpenedView, OpenersView, ToolView } from "../views/app.ts";
import { answers, appCommand, hostCommand, nothing } from "./command.ts";

const path = z.string().max(4096);

export interface FolderEntry {
  readonly name: string;
  readonly path: string;
  readonly kind: "jj" | "git" | "folder";
}

/** What a folder is, before it is opened. */
export type FolderView =
  | { readonly kind: "jj"; readonly root: string }
  | {
      readonly kind: "git";
      readonly root: string;
      readonly canAdopt: boolean;
      readonly reason: string | null;
    }
  | { readonly kind: "plain"; readonly root: string }
  | {
      readonly kind: "missing" | "unreadable" | "bare" | "broken";
      readonly root: string;
      readonly reason: string;
      readonly remedy: string;
    };

/** The app itself: folders, repositories, settings, programs. */
export const appCommands = {
  "folder.inspect": appCommand(z.strictObject({ path }), answers<FolderView>()),
  /** Folders below a path for the picker of the browser shell; null starts at the home folder. */
  "folder.list": appCommand(
    z.strictObject({ path: path.nullable() }),
    answers<{ path: string; parent: string | null; entries: readonly FolderEntry[] }>(),
  ),
  /** The system's own dialog; null when cancelled. Only where `app.nativeDialog`. */
  "folder.pick": appCommand(nothing, answers<string | null>()),

  /** Shows it in this window. Other repositories with active work stay open. */
  "repository.open": appCommand(z.strictObject({ path: path.min(1) }), nothing),
  /**
   * Turns a Git repository or a plain folder into a jj repository and opens it. Only after the user's
   * confirmation.
   */
  "repository.adopt": appCommand(z.strictObject({ path: path.min(1) }), nothing),
  /**
   * If another host has the repository (`lockedBy`): asks it to save and release it, and works here from then
   * on. Answers REFUSED if it is alive and does not release it.
   */
  "repository.takeOver": hostCommand({}, nothing),
  /** Saves everything of it; what goes on there pauses until it is opened again. */
  "repository.close": appCommand(z.strictObject({ path: path.min(1) }), nothing),
  /** Removes it from `app.recent`. Its folder is kept. */
  "repository.forgetRecent": appCommand(z.strictObject({ path }), nothing),
  /** Puts back, at its old position, what was removed since the host started. */
  "repository.restoreRecent": appCommand(z.strictObject({ path }), nothing),

  /** Copies the bundled example to a new folder, opens it and starts the scripted run. */
  "rehearsal.start": appCommand(
    z.strictObject({ name: z.string().max(100) }),
    answers<{ path: string | null }>(),
  ),

  /** Ends what is being prepared; `rehearsal.start` then answers with null, and nothing of it is left. */
  "rehearsal.cancel": appCommand(z.strictObject({ name: z.string().max(100) }), nothing),

  /** How fast scripted models speak from now on; `app.rehearsalTempo` says it. */
  "rehearsal.setTempo": appCommand(z.strictObject({ tempo: z.enum(tempos) }), nothing),

  "settings.change": appCommand(settingsPatch, nothing),
  "settings.setKey": appCommand(z.strictObject({ key: z.string().trim().min(1).max(500) }), nothing),
  "settings.clearKey": appCommand(nothing, nothing),

  doctor: appCommand(nothing, answers<readonly ToolView[]>()),
  /** Agents of other makes, as the configuration of an open repository has them; null: as Hox comes. */
  "tools.agents": appCommand(
    z.strictObject({ repository: path.nullable() }),
    answers<readonly AgentReport[]>(),
  ),
  /** What a bug report needs, as text, without file contents, prompts and keys. `repository`: the path of an open one, or null. */
  diagnostics: appCommand(z.strictObject({ repository: path.nullable() }), answers<string>()),
  /** Puts a jj of Hox's own into its cache and looks at the tools again. Only after the user's yes. */
  "tools.fetchJj": appCommand(nothing, nothing),
  /** Ends the fetching; `tools.fetchJj` then answers without one. */
  "tools.cancelFetch": appCommand(nothing, nothing),

  /** Programs that the host knows, and which of them it has. */
  "openIn.programs": appCommand(nothing, answers<OpenersView>()),
  /**
   * Opens a change's working copy, or one of its files at a line. If the host did not open the window on its
   * own machine, nothing starts, and the path is returned.
   */
  "openIn.open": hostCommand(
    {
      kind: z.enum(openerKinds),
      changeId,
      /** Of the repository; null: the whole working copy. */
      path: z.string().min(1).max(4096).nullable(),
      line: z.number().int().min(1).nullable(),
    },
    answers<OpenedView>(),
  ),
};
