import type { Place, Planter } from "./place.ts";
import { isComment, isQuoted } from "./source-file.ts";

/** How one unit is taken for another, in the words of libraries that have words for it. */
const words: readonly (readonly [RegExp, string])[] = [
  [/\bfrom_millis\(/u, "from_secs("],
  [/\bfrom_secs\(/u, "from_millis("],
  [/\btime\.Second\b/u, "time.Millisecond"],
  [/\btime\.Millisecond\b/u, "time.Second"],
  [/\btime\.Minute\b/u, "time.Second"],
  [/\btime\.Hour\b/u, "time.Minute"],
  [/\bTimeUnit\.SECONDS\b/u, "TimeUnit.MILLISECONDS"],
  [/\bTimeUnit\.MILLISECONDS\b/u, "TimeUnit.SECONDS"],
  [/\bofSeconds\(/u, "ofMillis("],
  [/\bofMillis\(/u, "ofSeconds("],
  [/\bofMinutes\(/u, "ofSeconds("],
  [/\bFromSeconds\(/u, "FromMilliseconds("],
  [/\bFromMilliseconds\(/u, "FromSeconds("],
  [/\bFromMinutes\(/u, "FromSeconds("],
  [/(?<=\btimedelta\([^)]*)\bminutes=/u, "seconds="],
  [/(?<=\btimedelta\([^)]*)\bseconds=/u, "milliseconds="],
  [/(?<=\btimedelta\([^)]*)\bhours=/u, "minutes="],
  [/(?<=\d)\.seconds\b/u, ".minutes"],
  [/(?<=\d)\.minutes\b/u, ".seconds"],
  [/(?<=\b:)(?:second)\b/u, "millisecond"],
];

/** A factor between two units is forgotten, or is the one of another pair. */
const factors: readonly (readonly [RegExp, string])[] = [
  [/(?<=[\w)\]]) [*] 1_?000(?:\.0)?\b/u, ""],
  [/(?<=[\w)\]]) \/ 1_?000(?:\.0)?\b/u, ""],
  [/(?<=[\w)\]]) ([*/]) 1024\b/u, " $1 1000"],
  [/(?<=[\w)\]]) ([*/]) 60\b/u, " $1 1000"],
  [/(?<=[\w)\]]) ([*/]) 100(?:\.0)?\b/u, ""],
  [/(?<=[\w)\]]) [*] 1e3\b/u, ""],
  [/(?<=[\w)\]]) \/ 1e6\b/u, " / 1e3"],
];

/** A number whose name says a unit, or something that has one. */
const named =
  /(?<=\b(?:\w*(?:Ms|Millis|Millisecs|Seconds|Secs|Minutes|Timeout|TimeoutMs|Delay|Interval|Ttl|TTL|Bytes|Kb|Mb|Cents|Percent)|\w*_(?:ms|millis|seconds|secs|minutes|timeout|delay|interval|ttl|bytes|kb|mb|cents|percent)|\w*(?:TIMEOUT|DELAY|INTERVAL|_MS|_SECONDS|_SECS|_MINUTES|_BYTES|_KB|_MB|_CENTS|_PERCENT)|timeout|delay|interval|ttl|seconds|millis|ms|bytes|cents|percent)["']?\s*(?::\s*[\w<>]+\s*)?(?:=|:|=>)\s*)(\d[\d_]*)(?![\w.])/u;

/** Durations and lengths with their unit behind them, where settings and styles have them. */
const literal = /(?<![\w.#])(\d+(?:\.\d+)?)(ms|s|m|px|rem|em|vh|KB|MB|KiB|MiB)\b/u;
const taken: Readonly<Record<string, string>> = {
  ...{ ms: "s", s: "ms", m: "s", px: "rem", rem: "px", em: "px", vh: "px" },
  ...{ KB: "MB", MB: "KB", KiB: "KB", MiB: "MB" },
};

function changedLine(line: string, isData: boolean): string | null {
  for (const [pattern, by] of [...words, ...factors]) {
    const found = pattern.exec(line);
    if (found && !isQuoted(line, found.index)) return line.replace(pattern, by);
  }
  const number = named.exec(line);
  if (number?.[1] !== undefined && !isQuoted(line, number.index)) {
    const value = Number(number[1].replaceAll("_", ""));
    if (value > 0) {
      const other = value >= 1_000 && value % 1_000 === 0 ? value / 1_000 : value * 1_000;
      return `${line.slice(0, number.index)}${other}${line.slice(number.index + number[0].length)}`;
    }
  }
  const found = isData ? literal.exec(line) : null;
  const unit = taken[found?.[2] ?? ""];
  return found === null || unit === undefined
    ? null
    : `${line.slice(0, found.index)}${found[1]}${unit}${line.slice(found.index + found[0].length)}`;
}

/** A value is taken for one of another unit. */
export const wrongUnit: Planter = ({ lines, isTest, language }) =>
  isTest
    ? []
    : lines.flatMap((line, at): Place[] => {
        if (isComment(line)) return [];
        const changed = changedLine(line, language === "style" || language === "settings");
        if (changed === null || changed === line) return [];
        const what = `"${line.trim()}" became "${changed.trim()}"`;
        return [{ from: at, to: at + 1, lines: [changed], what }];
      });
