import { agentsOnWorkers } from "./cases/agents-on-workers.ts";
import { onWorkers } from "./cases/on-workers.ts";
import { shortForm } from "./short-form.ts";

// Each starts a worker.
shortForm([onWorkers, agentsOnWorkers], 0);
