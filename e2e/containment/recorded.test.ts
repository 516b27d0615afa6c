import { commits } from "./cases/commits.ts";
import { host } from "./cases/host.ts";
import { ignored } from "./cases/ignored.ts";
import { specialFiles } from "./cases/special-files.ts";
import { startedPrograms } from "./cases/started-programs.ts";
import { shortForm } from "./short-form.ts";

shortForm([commits, ignored, specialFiles, startedPrograms, host]);
