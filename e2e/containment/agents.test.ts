import { agentGateway } from "./cases/agent-gateway.ts";
import { agentLogin } from "./cases/agent-login.ts";
import { agentRunner } from "./cases/agent-runner.ts";
import { shortForm } from "./short-form.ts";

shortForm([agentGateway, agentRunner, agentLogin]);
