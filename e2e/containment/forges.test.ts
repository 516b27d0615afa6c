import { forges } from "./cases/forges.ts";
import { shortForm } from "./short-form.ts";

shortForm([forges]);
