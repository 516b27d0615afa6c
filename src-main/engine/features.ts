/**
 * What the engine can do: the one file that names every capability. To add one, write its folder and its line here.
 *
 * The order is the one in which each reads the graph, and in which each ends a run. It matters where it is said; every
 * other place takes its neighbours' company as it comes.
 */

import { archangels } from "./features/archangels/feature.ts";
import { asking } from "./features/asking/feature.ts";
import { attachments } from "./features/attachments/feature.ts";
import { attempts } from "./features/attempts/feature.ts";
import { budgets } from "./features/budgets/feature.ts";
import { catchUpWithLanding } from "./features/catch-up/feature.ts";
import { changeValidation } from "./features/change-validation/feature.ts";
import { conflictForecast } from "./features/conflict-forecast/feature.ts";
import { conflicts } from "./features/conflicts/feature.ts";
import { contracts } from "./features/contracts/feature.ts";
import { decisions } from "./features/decisions/feature.ts";
import { delegation } from "./features/delegation/feature.ts";
import { dependencies } from "./features/dependencies/feature.ts";
import { diskUse } from "./features/disk-use/feature.ts";
import { firstLook } from "./features/first-look/feature.ts";
import { forecast } from "./features/forecast/feature.ts";
import { forks } from "./features/forks/feature.ts";
import { graphEdits } from "./features/graph-edits/feature.ts";
import { health } from "./features/health/feature.ts";
import { holds } from "./features/holds/feature.ts";
import { integration } from "./features/integration/feature.ts";
import { labels } from "./features/labels/feature.ts";
import { landing } from "./features/landing/feature.ts";
import { learning } from "./features/learning/feature.ts";
import { mail } from "./features/mail/feature.ts";
import { mergeRequests } from "./features/merge-requests/feature.ts";
import { orientation } from "./features/orientation/feature.ts";
import { outsideSessions } from "./features/outside-sessions/feature.ts";
import { patternLibrary } from "./features/pattern-library/feature.ts";
import { phases } from "./features/phases/feature.ts";
import { planning } from "./features/planning/feature.ts";
import { projectInstructions } from "./features/project-instructions/feature.ts";
import { protectedFiles } from "./features/protected-files/feature.ts";
import { questions } from "./features/questions/feature.ts";
import { queue } from "./features/queue/feature.ts";
import { reassignment } from "./features/reassignment/feature.ts";
import { reports } from "./features/reports/feature.ts";
import { restore } from "./features/restore/feature.ts";
import { startChoices } from "./features/start-choices/feature.ts";
import { statusCommands } from "./features/status-commands/feature.ts";
import { takeover } from "./features/takeover/feature.ts";
import { taskWork } from "./features/task-work/feature.ts";
import { telemetry } from "./features/telemetry/feature.ts";
import { undo } from "./features/undo/feature.ts";
import { userHooks } from "./features/user-hooks/feature.ts";
import { validation } from "./features/validation/feature.ts";
import type { Feature } from "./kernel/feature.ts";
import type { Run } from "./ports.ts";

export const features: readonly Feature<Run>[] = [
  conflictForecast,
  // Before all who read tasks: one that is gone is nobody's, and says nothing any more. At a run's end, unfinished tasks
  // are given back before the graph is tidied.
  taskWork,
  // After the tasks that are gone: attempts that are there again were not chosen, and say so themselves.
  attempts,
  // Before the plan: a word that ends a task holds for the plan as the person saw it.
  statusCommands,
  planning,
  // After the plan: that holds the priorities by which places are given.
  queue,
  contracts,
  phases,
  questions,
  dependencies,
  health,
  mail,
  labels,
  // Before conflicts: whoever contradicted a decision that is gone may hold a conflict of another cause.
  decisions,
  mergeRequests,
  // Last of those that read tasks: whoever waited for a conflict goes on with all that was read.
  conflicts,
  integration,
  validation,
  learning,
  // Before the user's hooks: they find the graph as the run leaves it.
  landing,
  userHooks,
  budgets,
  holds,
  diskUse,
  projectInstructions,
  protectedFiles,
  firstLook,
  orientation,
  forecast,
  startChoices,
  attachments,
  reports,
  patternLibrary,
  telemetry,
  outsideSessions,
  archangels,
  asking,
  changeValidation,
  delegation,
  forks,
  reassignment,
  takeover,
  undo,
  catchUpWithLanding,
  graphEdits,
  restore,
];
