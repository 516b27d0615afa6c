import { describe, expect, it } from "vitest";
import { clearPlace, isClear } from "./notices.tsx";

const region = { left: 200, top: 80, right: 1000, bottom: 600 };
const size = { width: 384, height: 64 };
const control = (left: number, top: number, right: number, bottom: number, weight = 1) => ({
  ...{ left, top, right, bottom, weight },
});

describe("the place of notices", () => {
  it("is the lower left of the region where nothing lies", () => {
    expect(clearPlace(region, size, [])).toEqual({ left: 200, top: 536, cost: 0 });
    expect(clearPlace(region, size, [control(0, 550, 190, 600)]), "what lies outside is no matter").toEqual({
      ...{ left: 200, top: 536, cost: 0 },
    });
  });

  it("is beside the names of lanes, and above what stands where it would end", () => {
    const names = control(200, 100, 480, 600);
    const place = clearPlace(region, size, [names]);
    expect(place).toEqual({ left: 480, top: 536, cost: 0 });
    const zoom = control(780, 560, 990, 592);
    const above = clearPlace(region, size, [names, zoom]);
    expect(above).toMatchObject({ left: 480, cost: 0 });
    expect(above.top + size.height).toBeLessThanOrEqual(560);
  });

  it("covers what matters least where there is no room at all", () => {
    const everywhere = control(0, 0, 2000, 2000, 1);
    const answer = control(200, 500, 700, 600, 100);
    const place = clearPlace(region, size, [everywhere, answer]);
    expect(place.cost).toBe(size.width * size.height);
    expect(place.left >= 700 || place.top + size.height <= 500).toBe(true);
  });

  it("is kept as long as it lies in the region and on nothing", () => {
    const box = { left: 480, top: 500, right: 864, bottom: 564 };
    expect(isClear(box, region, [control(480, 570, 600, 580)])).toBe(true);
    expect(isClear(box, region, [control(480, 560, 600, 580)])).toBe(false);
    expect(isClear(box, { ...region, bottom: 550 }, [])).toBe(false);
    expect(isClear(box, { ...region, left: 500 }, [])).toBe(false);
  });

  it("is found in a region that is too small for it", () => {
    const small = { left: 0, top: 0, right: 100, bottom: 20 };
    expect(clearPlace(small, size, [])).toEqual({ left: 0, top: -44, cost: 0 });
  });
});
