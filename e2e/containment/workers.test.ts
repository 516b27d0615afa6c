import { onWorkers } from "./cases/on-workers.ts";
import { shortForm } from "./short-form.ts";

// Each starts a worker.
shortForm([onWorkers], 0);
