import { expect, type Page } from "@playwright/test";
import axe from "axe-core";

/** In the second theme only colours are read again: everything else is the same there. */
const rulesOfColour = ["color-contrast", "link-in-text-block"];
const shownElements = 4;

type Violation = axe.Result;

/** One rule with the elements that violate it, in the form that helps to fix it. */
function describe({ id, nodes }: Violation, theme: string): string {
  const elements = nodes.slice(0, shownElements).map(({ html, target, failureSummary = "" }) => {
    const reasons = failureSummary.split("\n").slice(1).join(" ").trim();
    return `  ${String(target)}\n    ${html.slice(0, 200)}\n    ${reasons}`;
  });
  const more = nodes.length - elements.length;
  return [`${id} in ${theme}:`, ...elements, ...(more > 0 ? [`  and ${more} more`] : [])].join("\n");
}

/**
 * What is wrong, and nothing of what is right: to gather that and bring it here took three times as long as all the
 * rules. It looks at this page only, which has no frames. Without a second page, which would take the focus from it.
 */
async function run(page: Page, rules: readonly string[] | null): Promise<readonly Violation[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async (only) => {
    const { axe: inPage } = globalThis as unknown as { readonly axe: typeof axe };
    const { violations } = await inPage.run(document, {
      resultTypes: ["violations"],
      ...(only && { runOnly: { type: "rule", values: [...only] } }),
    });
    return violations;
  }, rules);
}

/** What axe finds on the screen in both themes; afterwards the page has its theme again. */
async function violations(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  const first = await page.evaluate(() => document.documentElement.dataset.theme);
  const themes = first === "dark" ? (["dark", "light"] as const) : (["light", "dark"] as const);
  for (const [at, theme] of themes.entries()) {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForFunction(
      (name) =>
        document.documentElement.dataset.theme === name &&
        // Half-way from one theme to the other no colour is what it will be.
        !document.getAnimations().some((animation) => animation instanceof CSSTransition),
      theme,
    );
    const result = await run(page, at === 0 ? null : rulesOfColour);
    found.push(...result.map((violation) => describe(violation, theme)));
  }
  await page.emulateMedia({ colorScheme: themes[0] });
  return found;
}

/** Reports violations on the screen as soft failures: the scene continues and fails at its end. */
export async function expectAccessible(page: Page, screen: string): Promise<void> {
  const found = await violations(page);
  expect.soft(found.join("\n"), `axe on ${screen}`).toBe("");
}
