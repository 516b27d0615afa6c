/** Every feature of the window. A new one is a folder and a line here; its panel, if it has one, finds its place in `shell.tsx`. */
import { agent } from "../features/agent/feature.ts";
import { archangel } from "../features/archangel/feature.ts";
import { attempts } from "../features/attempts/feature.tsx";
import { attention } from "../features/attention/feature.ts";
import { changeValidation } from "../features/change-validation/feature.tsx";
import { conflict } from "../features/conflict/feature.tsx";
import { diff } from "../features/diff/feature.tsx";
import { edits } from "../features/edits/feature.ts";
import { files } from "../features/files/feature.tsx";
import { inbox } from "../features/inbox/feature.ts";
import { inspector } from "../features/inspector/feature.ts";
import { openInPrograms } from "../features/open-in/feature.tsx";
import { patterns } from "../features/patterns/feature.tsx";
import { plan } from "../features/plan/feature.ts";
import { queue } from "../features/queue/feature.ts";
import { reports } from "../features/reports/feature.tsx";
import { repositories } from "../features/repositories/feature.ts";
import { run } from "../features/run/feature.ts";
import { runs } from "../features/runs/feature.tsx";
import { settings } from "../features/settings/feature.ts";
import { time } from "../features/time/feature.ts";
import { tour } from "../features/tour/feature.ts";
import { welcome } from "../features/welcome/feature.ts";
import { graph } from "../graph/feature.ts";
import { dialogWhenOpen } from "../registry/dialog-when-open.tsx";
import type { Feature } from "../registry/feature.ts";
import { KeyboardHelp } from "./keyboard-help.tsx";
import { Palette } from "./palette.tsx";
import { edgeKeys } from "./panes.tsx";
import { helpActions, panelActions } from "./window-actions.ts";

const help: Feature = {
  actions: helpActions,
  dialogs: [dialogWhenOpen("palette", Palette), dialogWhenOpen("keyboard", KeyboardHelp)],
};
const panels: Feature = { actions: panelActions, keys: [edgeKeys] };

/** In the order in which the palette and the help list what they do. */
export const features: readonly Feature[] = [
  help,
  settings,
  panels,
  graph,
  queue,
  inbox,
  inspector,
  edits,
  welcome,
  repositories,
  run,
  plan,
  attention,
  agent,
  diff,
  files,
  openInPrograms,
  conflict,
  attempts,
  archangel,
  changeValidation,
  runs,
  reports,
  patterns,
  time,
  tour,
];
