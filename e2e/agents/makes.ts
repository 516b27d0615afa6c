/** The agents that are tried: what each calls its tools, and which models are asked for. */
import type { WireCall } from "../../src-main/model/stand-in/testing/wires-stand-in.ts";
import type { knownAgents, Wire } from "../../src-shared/domain/worker/agent-choice.ts";

export interface Make {
  readonly id: (typeof knownAgents)[number];
  readonly wire: Wire;
  readonly model: string;
  /** Below the provider's address. */
  readonly basePath: string;
  /** The tool that runs commands, by which requests for a step are known. */
  readonly shell: string;
  run(command: string): WireCall;
  /** @param path absolute */
  write(path: string, text: string): WireCall;
  /** One of Hox's own tools. */
  hox(tool: string, input: Readonly<Record<string, unknown>>): WireCall;
}

const claude: Make = {
  id: "claude",
  wire: "anthropic",
  model: "claude-sonnet-5-5",
  basePath: "",
  shell: "Bash",
  run: (command) => ({ name: "Bash", input: { command, description: "Looks" } }),
  write: (path, text) => ({ name: "Write", input: { file_path: path, content: text } }),
  hox: (tool, input) => ({ name: `mcp__hox__${tool}`, input }),
};

/** Of newer models Codex wants a program that calls its tools. */
const inCode = (tool: string, input: Readonly<Record<string, unknown>>): WireCall => ({
  name: "exec",
  namespace: "functions",
  input: `text(await tools.${tool}(${JSON.stringify(input)}));`,
});

const codex: Make = {
  id: "codex",
  wire: "openai-responses",
  model: "gpt-6.1-sol",
  basePath: "/v1",
  shell: "exec",
  run: (command) => inCode("exec_command", { cmd: command }),
  // Its tool for patches takes no whole files.
  write: (path, text) => inCode("exec_command", { cmd: `printf '%s' '${text}' > '${path}'` }),
  hox: (tool, input) => inCode(`mcp__hox__${tool}`, input),
};

const gemini: Make = {
  id: "gemini",
  wire: "gemini",
  model: "gemini-2.5-pro",
  basePath: "",
  shell: "run_shell_command",
  run: (command) => ({ name: "run_shell_command", input: { command, description: "Looks" } }),
  write: (path, text) => ({ name: "write_file", input: { file_path: path, content: text } }),
  hox: (tool, input) => ({ name: `mcp_hox_${tool}`, input }),
};

const opencode: Make = {
  id: "opencode",
  wire: "anthropic",
  model: "claude-sonnet-5-5",
  basePath: "",
  shell: "bash",
  run: (command) => ({ name: "bash", input: { command, description: "Looks" } }),
  write: (path, text) => ({ name: "write", input: { filePath: path, content: text } }),
  hox: (tool, input) => ({ name: `hox_${tool}`, input }),
};

export const makes: readonly Make[] = [claude, codex, gemini, opencode];

/** The variable with the key of an agent's provider: another one than that of Hox's own models. */
export const keyVariable = ({ id }: Make): string => `${id.toUpperCase()}_TEST_API_KEY`;
