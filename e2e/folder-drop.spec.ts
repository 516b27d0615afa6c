import { expect, test } from "./test.ts";

test("a folder dropped on the browser's window says what can be done, and the page stays", async ({
  start,
  playground,
  scene,
}) => {
  const dropped = await playground.repository("dropped", ["mine"]);
  const { app } = await start();
  await expect(app.welcome).toBeVisible();
  const address = app.page.url();
  // As the system does it: only this way a folder is dropped and no made-up file.
  const devtools = await app.page.context().newCDPSession(app.page);
  const drag = (type: "dragEnter" | "dragOver" | "drop") =>
    devtools.send("Input.dispatchDragEvent", {
      type,
      x: 300,
      y: 300,
      data: { items: [], files: [dropped], dragOperationsMask: 1 },
    });
  await drag("dragEnter");
  await drag("dragOver");
  await expect(app.page.getByText("Drop a folder to open it")).toBeVisible();
  await scene("52-folder-over-window");
  await drag("drop");
  await expect(app.page.getByText("The browser does not reveal the path of “dropped”.")).toBeVisible();
  await expect(app.page.getByText("Drop a folder to open it")).toHaveCount(0);
  const dialog = app.dialog("Open a repository");
  await dialog.getByRole("textbox", { name: "Path" }).fill(dropped);
  await dialog.getByRole("button", { name: "Open this folder" }).click();
  await expect(app.graph.row("mine")).toBeVisible();
  expect(app.page.url()).toBe(address);
});
