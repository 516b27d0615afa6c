/**
 * The only file that names every capability. To add one, write its folder and its line here. The order is
 * that of reading the graph and of ending a run. It matters where a comment says so.
 */

import { attachments } from "./features/agents/attachments/feature.ts";
import { externalAgents } from "./features/agents/external-agents/feature.ts";
import { health } from "./features/agents/health/feature.ts";
import { mail } from "./features/agents/mail/feature.ts";
import { orientation } from "./features/agents/orientation/feature.ts";
import { taskWork } from "./features/agents/task-work/feature.ts";
import { attempts } from "./features/attempts/attempts/feature.ts";
import { forks } from "./features/attempts/forks/feature.ts";
import { collisions } from "./features/decisions/collisions/feature.ts";
import { conflicts } from "./features/decisions/conflicts/feature.ts";
import { decisions } from "./features/decisions/decisions/feature.ts";
import { questions } from "./features/decisions/questions/feature.ts";
import { dependencies } from "./features/environment/dependencies/feature.ts";
import { diskUse } from "./features/environment/disk-use/feature.ts";
import { lostFiles } from "./features/environment/lost-files/feature.ts";
import { preflight } from "./features/environment/preflight/feature.ts";
import { protectedFiles } from "./features/environment/protected-files/feature.ts";
import { asking } from "./features/insight/asking/feature.ts";
import { reports } from "./features/insight/reports/feature.ts";
import { telemetry } from "./features/insight/telemetry/feature.ts";
import { catchUpWithLanding } from "./features/landing/catch-up/feature.ts";
import { landing } from "./features/landing/landing/feature.ts";
import { restore } from "./features/landing/restore/feature.ts";
import { userHooks } from "./features/landing/user-hooks/feature.ts";
import { learning } from "./features/patterns/learning/feature.ts";
import { patternLibrary } from "./features/patterns/pattern-library/feature.ts";
import { contracts } from "./features/planning/contracts/feature.ts";
import { planning } from "./features/planning/planning/feature.ts";
import { startChoices } from "./features/planning/start-choices/feature.ts";
import { changeValidation } from "./features/review/change-validation/feature.ts";
import { integration } from "./features/review/integration/feature.ts";
import { mergeRequests } from "./features/review/merge-requests/feature.ts";
import { phases } from "./features/review/phases/feature.ts";
import { validation } from "./features/review/validation/feature.ts";
import { archangels } from "./features/reviewers/archangels/feature.ts";
import { outsideSessions } from "./features/reviewers/outside-sessions/feature.ts";
import { budgets } from "./features/steering/budgets/feature.ts";
import { graphEdits } from "./features/steering/graph-edits/feature.ts";
import { labels } from "./features/steering/labels/feature.ts";
import { otherRuns } from "./features/steering/other-runs/feature.ts";
import { pauses } from "./features/steering/pauses/feature.ts";
import { queue } from "./features/steering/queue/feature.ts";
import { reassignment } from "./features/steering/reassignment/feature.ts";
import { statusCommands } from "./features/steering/status-commands/feature.ts";
import { takeover } from "./features/steering/takeover/feature.ts";
import { undo } from "./features/steering/undo/feature.ts";
import type { Feature } from "./kernel/feature.ts";
import type { Run } from "./ports.ts";

export const features: readonly Feature<Run>[] = [
  // Before all that read tasks: a removed task has no owner and no output. At a run's end, unfinished tasks
  // are returned before the graph is tidied.
  taskWork,
  // After the tasks that are gone: attempts that are there again were not chosen, and say so themselves.
  attempts,
  // Before the plan: a status that ends a task refers to the plan as the user saw it.
  statusCommands,
  planning,
  // After the plan: that holds the priorities by which places are given.
  queue,
  contracts,
  phases,
  questions,
  dependencies,
  health,
  externalAgents,
  mail,
  otherRuns,
  labels,
  // Before conflicts: a file that contradicted a removed decision may be in conflict for another reason.
  decisions,
  mergeRequests,
  // Last of those that read tasks: an agent that waited for a conflict resumes with the final state.
  conflicts,
  collisions,
  integration,
  validation,
  learning,
  // Before the user's hooks: they find the graph as the run leaves it.
  landing,
  userHooks,
  budgets,
  pauses,
  diskUse,
  lostFiles,
  protectedFiles,
  preflight,
  orientation,
  startChoices,
  attachments,
  reports,
  patternLibrary,
  telemetry,
  outsideSessions,
  archangels,
  asking,
  changeValidation,
  forks,
  reassignment,
  takeover,
  undo,
  catchUpWithLanding,
  graphEdits,
  restore,
];
