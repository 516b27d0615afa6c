import { createRoot } from "react-dom/client";
import "./app/theme.css";
import { App } from "./app/app.tsx";
import { obeyDesktop } from "./app/desktop-requests.ts";
import { features } from "./app/features.ts";
import { followFocus } from "./kit/returned-focus.ts";
import { paintRememberedTheme } from "./kit/theme.ts";
import { registerFeatures } from "./registry/registry.ts";
import { takeTokenFromAddress } from "./session.ts";
import { stayConnected } from "./state/connection.ts";
import { followPreferences } from "./state/preferences.ts";
import { followShownRepository } from "./state/repositories.ts";
import { followRunsBeside } from "./state/runs-beside.ts";
import { followShownRun } from "./state/shown-run.ts";

const root = document.querySelector("#root");
if (root === null) throw new Error("index.html has no #root");

takeTokenFromAddress();
paintRememberedTheme();
followFocus();
registerFeatures(features);
followPreferences();
followShownRun();
followRunsBeside();
followShownRepository();
obeyDesktop();
void stayConnected();
createRoot(root).render(<App />);
