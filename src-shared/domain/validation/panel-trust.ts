/** What a calibration says beside a verdict, in words. */
import type { PanelFigures, Rate } from "./calibration.ts";

/** Who judges. A calibration speaks of exactly one such panel. */
export interface PanelMakeup {
  readonly strategy: string;
  readonly seats: readonly {
    readonly seat: string;
    readonly evidence: string;
    readonly model: string;
  }[];
}

/** The last calibration of a repository, as far as it stands beside a verdict. */
export interface MeasuredTrust {
  /** When it ended, in milliseconds since 1970. */
  readonly at: number;
  readonly panel: PanelMakeup;
  readonly figures: PanelFigures;
  /** Commits with a mistake, and how many of them were Hox's own sample, which says less of the code at hand. */
  readonly planted: number;
  readonly builtIn: number;
}

/** How far a verdict can be trusted. */
export interface PanelTrust {
  /** Null: nobody has measured anything here. */
  readonly measured: MeasuredTrust | null;
  /** What is another than when it was measured; empty: it is about this very panel. */
  readonly differs: readonly string[];
}

const modelsOf = ({ seats }: PanelMakeup): string => [...new Set(seats.map(({ model }) => model))].join(", ");

const evidenceOf = ({ seats }: PanelMakeup): string => seats.map(({ evidence }) => evidence).join(", ");

/** How the panel that was measured differs from another one, in words for a person. */
export function differencesOf(measured: PanelMakeup, now: PanelMakeup): readonly string[] {
  const differs: string[] = [];
  const [were, are] = [measured.seats.length, now.seats.length];
  if (were !== are) differs.push(`it had ${were} ${were === 1 ? "seat" : "seats"}, and ${are} judge here`);
  if (modelsOf(measured) !== modelsOf(now))
    differs.push(`it asked ${modelsOf(measured)}, not ${modelsOf(now)}`);
  else if (were === are && measured.seats.some(({ model }, at) => now.seats[at]?.model !== model))
    differs.push("its models sat on other seats");
  if (measured.strategy !== now.strategy)
    differs.push(`it judged by ${measured.strategy}, not ${now.strategy}`);
  if (were === are && evidenceOf(measured) !== evidenceOf(now))
    differs.push(`its seats looked at ${evidenceOf(measured)}`);
  return differs;
}

/** The last calibration, held against who judges now. */
export const trustIn = (measured: MeasuredTrust | null, now: PanelMakeup): PanelTrust => ({
  measured,
  differs: measured === null ? [] : differencesOf(measured.panel, now),
});

const percent = (share: number): string => (share * 100).toFixed(0);

/** "2 of 14 (4–40 %)" */
export const rateWords = ({ count, of, low, high }: Rate): string =>
  of === 0 ? "unknown: none was judged" : `${count} of ${of} (${percent(low)}–${percent(high)} %)`;

/** "worth 2.1 of 4 votes" */
export function worthWords({ effectiveVotes, seats }: PanelFigures): string {
  const votes = `${seats.length} ${seats.length === 1 ? "vote" : "votes"}`;
  return effectiveVotes === null
    ? `${votes} of which nobody knows how far they err together`
    : `worth ${effectiveVotes.toFixed(1)} of ${votes}`;
}

const dayMs = 86_400_000;

/** How long ago, in whole days. */
function agoWords(at: number, now: number): string {
  const days = Math.floor(Math.max(0, now - at) / dayMs);
  return days === 0 ? "today" : days === 1 ? "yesterday" : `${days} days ago`;
}

/** What nobody has measured. */
export const unmeasuredLine = "This panel is not calibrated. Run `hox validate --calibrate`.";

/** One line beside a verdict. @param now in milliseconds since 1970 */
export function trustLine({ measured, differs }: PanelTrust, now: number): string {
  if (measured === null) return unmeasuredLine;
  const { at, panel, figures, planted, builtIn } = measured;
  const sample =
    builtIn === 0 ? "" : ` ${builtIn} of the ${planted} stood in the sample that comes with Hox.`;
  const line = `False approvals ${rateWords(figures.falseApprovals)}, ${worthWords(figures)}, measured ${agoWords(at, now)} with ${modelsOf(panel)}.${sample}`;
  return differs.length === 0 ? line : `${line} That was another panel: ${differs.join("; ")}.`;
}
