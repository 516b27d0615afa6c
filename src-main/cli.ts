import { runCommandLine } from "./cli/program.ts";
import { startCommand } from "./cli/start-command.ts";

await startCommand(runCommandLine);
