import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** In the second theme only colours are read again: everything else is the same there. */
const rulesOfColour = ["color-contrast", "link-in-text-block"];
const shownElements = 4;

interface Violation {
  readonly id: string;
  readonly nodes: readonly {
    readonly html: string;
    readonly target: unknown;
    readonly failureSummary?: string;
  }[];
}

/** One rule with the elements that break it, as somebody who mends it wants to read it. */
function describe({ id, nodes }: Violation, theme: string): string {
  const elements = nodes.slice(0, shownElements).map(({ html, target, failureSummary = "" }) => {
    const reasons = failureSummary.split("\n").slice(1).join(" ").trim();
    return `  ${String(target)}\n    ${html.slice(0, 200)}\n    ${reasons}`;
  });
  const more = nodes.length - elements.length;
  return [`${id} in ${theme}:`, ...elements, ...(more > 0 ? [`  and ${more} more`] : [])].join("\n");
}

/** What axe finds on the screen as it stands, in both themes; the page is left in the theme in which it was found. */
async function violations(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  const first = await page.evaluate(() => document.documentElement.dataset.theme);
  const themes = first === "dark" ? (["dark", "light"] as const) : (["light", "dark"] as const);
  for (const [at, theme] of themes.entries()) {
    await page.emulateMedia({ colorScheme: theme });
    await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
    // Without a second page, which would take the focus from this one.
    const axe = new AxeBuilder({ page }).setLegacyMode();
    const result = await (at === 0 ? axe : axe.withRules(rulesOfColour)).analyze();
    found.push(...result.violations.map((violation) => describe(violation, theme)));
  }
  await page.emulateMedia({ colorScheme: themes[0] });
  return found;
}

/** Everybody can read and use what is on the screen, as far as axe can tell. Where not, the walk goes on and fails at its end. */
export async function expectAccessible(page: Page, screen: string): Promise<void> {
  const found = await violations(page);
  expect.soft(found.join("\n"), `axe on ${screen}`).toBe("");
}
