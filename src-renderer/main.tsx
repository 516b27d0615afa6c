import { createRoot } from "react-dom/client";
import "./app/theme.css";
import { App } from "./app/app.tsx";
import { obeyDesktop } from "./app/desktop-requests.ts";
import { paintRememberedTheme } from "./app/use-theme.ts";
import { stayConnected } from "./state/connection.ts";

const root = document.querySelector("#root");
if (root === null) throw new Error("index.html has no #root");

paintRememberedTheme();
obeyDesktop();
void stayConnected();
createRoot(root).render(<App />);
