import { entrance } from "./cases/entrance.ts";
import { environment } from "./cases/environment.ts";
import { kernel } from "./cases/kernel.ts";
import { memory } from "./cases/memory.ts";
import { network } from "./cases/network.ts";
import { paths } from "./cases/paths.ts";
import { processes } from "./cases/processes.ts";
import { protectedFiles } from "./cases/protected.ts";
import { races } from "./cases/races.ts";
import { shortForm } from "./short-form.ts";

shortForm([races, paths, protectedFiles, entrance, environment, network, processes, memory, kernel]);
