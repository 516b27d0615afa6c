import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";
import { defaultStateFolder } from "./config/state-folder.ts";
import { makeConsoleVisible, printSlowCommands } from "./end-signals.ts";
import { rehearsalPace, runHeadless } from "./serving.ts";
import { listenRefusal } from "./transport/listen-options.ts";

/** `--open [folder] --port <n> --state <folder>`, and those of `hox serve` for other people; a bare folder is opened. */
async function main(): Promise<number> {
  makeConsoleVisible();
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      open: { type: "boolean", default: false },
      port: { type: "string", default: "0" },
      state: { type: "string" },
      pace: { type: "string" },
      listen: { type: "string" },
      "tls-cert": { type: "string" },
      "tls-key": { type: "string" },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port ${values.port}: give a number from 0 to 65535.`);
  const { listen, "tls-cert": tlsCert, "tls-key": tlsKey } = values;
  const refused = listenRefusal({ listen, tlsCert, tlsKey });
  if (refused) throw new RemediedError(refused.message, refused.remedy);
  const folder = positionals[0];
  printSlowCommands((line) => console.log(line));
  return runHeadless({
    port,
    stateFolder: values.state ? resolve(values.state) : defaultStateFolder(),
    folder: folder === undefined ? null : resolve(process.env.INIT_CWD ?? ".", folder),
    ...(listen === undefined ? {} : { listen }),
    ...(tlsCert !== undefined && tlsKey !== undefined ? { tls: { cert: tlsCert, key: tlsKey } } : {}),
    window: values.open,
    rehearsalPace: rehearsalPace(values.pace),
    print: (line) => console.log(line),
  });
}

main().then(
  (code) => process.exit(code),
  (error: Error & { remedy?: string }) => {
    console.error(`Hox: ${error.message}${error.remedy ? ` ${error.remedy}` : ""}`);
    process.exit(1);
  },
);
