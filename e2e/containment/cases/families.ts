import type { Family } from "../case.ts";
import { agentGateway } from "./agent-gateway.ts";
import { agentLogin } from "./agent-login.ts";
import { agentRunner } from "./agent-runner.ts";
import { agentsOnWorkers } from "./agents-on-workers.ts";
import { commits } from "./commits.ts";
import { dependencies } from "./dependencies.ts";
import { entrance } from "./entrance.ts";
import { environment } from "./environment.ts";
import { forges } from "./forges.ts";
import { host } from "./host.ts";
import { ignored } from "./ignored.ts";
import { kernel } from "./kernel.ts";
import { landing } from "./landing.ts";
import { listedHosts } from "./listed-hosts.ts";
import { localServer } from "./local-server.ts";
import { memory } from "./memory.ts";
import { network } from "./network.ts";
import { onWorkers } from "./on-workers.ts";
import { paths } from "./paths.ts";
import { processes } from "./processes.ts";
import { protectedFiles } from "./protected.ts";
import { races } from "./races.ts";
import { recordingFiles, repositories } from "./repositories.ts";
import { settings } from "./settings.ts";
import { sharedLimits } from "./shared-limits.ts";
import { specialFiles } from "./special-files.ts";
import { startedPrograms } from "./started-programs.ts";

export const families: readonly Family[] = [
  races,
  paths,
  protectedFiles,
  commits,
  ignored,
  entrance,
  environment,
  network,
  listedHosts,
  onWorkers,
  processes,
  memory,
  kernel,
  sharedLimits,
  specialFiles,
  startedPrograms,
  landing,
  host,
  settings,
  repositories,
  recordingFiles,
  dependencies,
  localServer,
  agentGateway,
  agentRunner,
  forges,
  agentLogin,
  agentsOnWorkers,
];
