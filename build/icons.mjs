#!/usr/bin/env node
/**
 * Draws `build/icon.svg` in every size that a system asks for. Run it after the drawing has changed; what it writes is
 * kept with the sources, so that making a package needs no browser.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawnSizes, icns, ico, linuxSizes } from "./icon-containers.mjs";
import { project, sayOnStderr, setUp } from "./setup/set-up.mjs";

/** @param {string} browserPath @param {string} svg */
async function draw(browserPath, svg) {
  const { chromium } = await import("playwright");
  const browser = await chromium.launch({
    executablePath: browserPath,
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  try {
    const page = await browser.newPage();
    const source = `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
    const pictures = [];
    for (const size of drawnSizes) {
      await page.setViewportSize({ width: size, height: size });
      await page.setContent(
        `<body style="margin:0"><img src="${source}" width="${size}" height="${size}" style="display:block">`,
      );
      await page.locator("img").evaluate((image) => /** @type {any} */ (image).decode());
      pictures.push({ size, png: await page.screenshot({ omitBackground: true }) });
    }
    return pictures;
  } finally {
    await browser.close();
  }
}

async function drawIcons() {
  const { browser } = await setUp();
  if (!browser.path) throw new Error(`${browser.note}. ${browser.remedy}`);
  // Git may have checked it out with the line ends of Windows.
  const svg = readFileSync(join(project, "build", "icon.svg"), "utf8").replaceAll("\r\n", "\n");
  const pictures = await draw(browser.path, svg);
  const folder = join(project, "build", "icons");
  mkdirSync(folder, { recursive: true });
  for (const { size, png } of pictures.filter((picture) => linuxSizes.includes(picture.size)))
    writeFileSync(join(folder, `${size}x${size}.png`), png);
  writeFileSync(join(folder, "icon.icns"), icns(pictures));
  writeFileSync(join(folder, "icon.ico"), ico(pictures));
  writeFileSync(
    join(folder, "drawn-from.json"),
    `${JSON.stringify({ "icon.svg": createHash("sha256").update(svg).digest("hex") })}\n`,
  );
}

process.exit(
  await drawIcons().then(
    () => 0,
    (error) => {
      sayOnStderr(error.message);
      return 1;
    },
  ),
);
