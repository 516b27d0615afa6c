/** What a run looks like, in a still picture: lanes of agents along time, a question, a decision, and what is ahead. */

const width = 860;
const now = 560;
const lanes = [
  { y: 66, hue: 0, from: 150, beads: [236, 330, 452], title: 118 },
  { y: 104, hue: 1, from: 150, beads: [262, 410], title: 92 },
  { y: 142, hue: 2, from: 150, beads: [220, 352, 500], title: 132 },
] as const;
const decision = 380;
const spine = 26;
/** Seats of the panel, and where it lands. */
const places = [
  ...[0, 1, 2, 3].map((seat) => ({
    x: now + 204 + (seat % 2) * 14,
    y: spine - 7 + Math.floor(seat / 2) * 14,
    r: 5,
  })),
  { x: width - 32, y: spine, r: 7 },
];

export function CanvasPreview() {
  return (
    <div className="overflow-hidden rounded-lg border bg-surface">
      <svg
        viewBox={`0 0 ${width} 172`}
        role="img"
        aria-label="A run in progress: a timeline with three agents in lanes and a decision that applies to all of them"
        className="block w-full"
      >
        <rect x={now} width={width - now} height={172} fill="var(--canvas)" />
        <path d={`M24 ${spine}H${now}`} stroke="var(--text)" strokeWidth={2.5} />
        <path
          d={`M${now} ${spine}H${width - 40}`}
          stroke="var(--line-strong)"
          strokeWidth={2}
          strokeDasharray="1 5"
          strokeLinecap="round"
        />
        <Lanes />
        <Decision />
        <Ahead />
      </svg>
    </div>
  );
}

/** Who works on what, with what was done so far. */
const Lanes = () =>
  lanes.map(({ y, hue, from, beads, title }) => (
    <g key={y} stroke={`var(--lane-${hue})`} fill="none">
      <path d={`M24 ${y + 19}H${width - 24}`} stroke="var(--line)" />
      <circle cx={32} cy={y} r={8} fill={`var(--lane-${hue})`} stroke="none" />
      <rect x={48} y={y - 4} width={title / 1.6} height={8} rx={4} fill="var(--line-strong)" stroke="none" />
      <path
        d={`M${from} ${spine}C${from + 2} ${y - 8} ${from + 20} ${y} ${from + 44} ${y}H${now}`}
        strokeWidth={2}
      />
      {beads.map((x) => (
        <circle key={x} cx={x} cy={y} r={4.5} fill="var(--surface)" strokeWidth={2} />
      ))}
      <circle cx={now} cy={y} r={6} fill={`var(--lane-${hue})`} strokeWidth={0} />
      <path
        d={`M${now + 10} ${y}C${now + 80} ${y} ${now + 70} ${spine + 14} ${now + 128} ${spine + 8}`}
        strokeDasharray="2 4"
        opacity={0.6}
      />
    </g>
  ));

/** One decision through all of them. */
const Decision = () => (
  <>
    <path d={`M${decision} ${spine}V158`} stroke="var(--progress)" strokeWidth={4} strokeLinecap="round" />
    <rect
      x={decision - 6}
      y={spine - 6}
      width={12}
      height={12}
      rx={2}
      transform={`rotate(45 ${decision} ${spine})`}
      fill="var(--progress)"
    />
  </>
);

/** A question that waits, and how it will end. */
const Ahead = () => (
  <>
    <path d={`M${now} 0V172`} stroke="var(--accent)" />
    <rect
      x={now + 22}
      y={90}
      width={168}
      height={28}
      rx={8}
      fill="var(--warning-soft)"
      stroke="var(--warning)"
    />
    <rect x={now + 34} y={101} width={74} height={6} rx={3} fill="var(--warning)" opacity={0.5} />
    <g fill="var(--raised)" stroke="var(--line-strong)">
      {[122, 154].map((x) => (
        <rect key={x} x={now + x} y={97} width={26} height={14} rx={4} />
      ))}
    </g>
    <g fill="var(--surface)" stroke="var(--line-strong)" strokeWidth={1.5}>
      <rect x={now + 112} y={spine - 10} width={56} height={20} rx={5} strokeDasharray="4 3" />
      {places.map(({ x, y, r }) => (
        <circle key={`${x} ${y}`} cx={x} cy={y} r={r} strokeDasharray="3 2" />
      ))}
    </g>
  </>
);
