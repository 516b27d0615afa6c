/** The colours of code in a diff: those of the library's themes, as far from each line's ground as text has to be. */
import { registerCustomTheme, resolveTheme } from "@pierre/diffs";

/** Brightest and darkest that words may be, so that they stand out by 4.5 from a word that was added or taken away. */
const limits = { light: 0.1, dark: 0.46 } as const;

type Rgb = readonly [red: number, green: number, blue: number];

const parse = (hex: string): Rgb | null => {
  const digits = /^#([0-9a-f]{6})/iu.exec(hex)?.[1];
  if (!digits) return null;
  const value = Number.parseInt(digits, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

const write = (colour: Rgb): string =>
  `#${colour.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;

/** Relative luminance as WCAG 2 has it, 0 to 1. */
export function luminance([red, green, blue]: Rgb): number {
  const linear = (part: number): number =>
    part <= 10.31 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** The same hue, as dark or as bright as it has to be. What is no colour of six digits stays as it is. */
export function readable(hex: string, theme: "light" | "dark"): string {
  let colour = parse(hex);
  if (colour === null) return hex;
  const isReadable = (one: Rgb): boolean =>
    theme === "light" ? luminance(one) <= limits.light : luminance(one) >= limits.dark;
  const end = theme === "light" ? 0 : 255;
  while (!isReadable(colour)) {
    const [red, green, blue]: Rgb = colour;
    const nearer = (part: number): number => part + (end - part) * 0.08;
    colour = [nearer(red), nearer(green), nearer(blue)];
  }
  return write(colour);
}

const nameOf = (theme: "light" | "dark") => `hox-${theme}`;

export const codeThemes = { light: nameOf("light"), dark: nameOf("dark") } as const;

for (const theme of ["light", "dark"] as const)
  registerCustomTheme(nameOf(theme), async () => {
    const { textmate } = await resolveTheme(`pierre-${theme}`);
    if (!textmate) throw new Error(`There are no colours for code in the theme pierre-${theme}.`);
    const settings = (textmate.settings ?? []).map((rule) => {
      const { foreground } = rule.settings;
      return foreground === undefined
        ? rule
        : { ...rule, settings: { ...rule.settings, foreground: readable(foreground, theme) } };
    });
    return { ...textmate, name: nameOf(theme), settings };
  });
