/** For `node --import`: in this process `electron` is the stand-in beside this file. */
import { registerHooks } from "node:module";

const standIn = new URL("electron-process.ts", import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "electron" ? { url: standIn, shortCircuit: true } : next(specifier, context),
});
