import { commits } from "./cases/commits.ts";
import { host } from "./cases/host.ts";
import { ignored } from "./cases/ignored.ts";
import { shortForm } from "./short-form.ts";

shortForm([commits, ignored, host]);
