import { describe, expect, it } from "vitest";
import { scalingOf, slotOf } from "../../src/routes/slots.ts";

describe("scalingOf and slotOf", () => {
  it.each([
    ["", "web"],
    ["expires=1&signature=2", "web"],
    ["thumb=1", "thumb/square"],
    ["thumb=true", "thumb/square"],
    ["thumb=", "thumb/square"],
    ["thumb=p", "thumb/portrait"],
    ["thumb=l", "thumb/landscape"],
    ["orientation=p&thumb=1", "thumb/portrait"],
    ["thumb=1&orientation=l", "thumb/landscape"],
    ["thumb=1&orientation=x", "thumb/square"],
    ["thumb=1&width=5", "thumb/square"],
    ["orientation=p", "web"],
    ["width=640", "width/640"],
    ["height=480", "height/480"],
    ["height=400&width=600", "width/600/height/400"],
    ["scale=50", "scale/50"],
    ["scale=12.5", "scale/12.5"],
    ["scale=50.0", "scale/50"],
    ["scale=50&width=3", "scale/50"],
    ["width=0", "web"],
    ["width=-5", "web"],
    ["width=1e9", "web"],
    ["width=99999999", "web"],
    ["width=0.2", "width/1"],
    ["width=640.4", "width/640"],
    ["width=../../x", "web"],
  ])("%s → %s", (query, slot) => {
    expect(slotOf(scalingOf(new URLSearchParams(query)))).toBe(slot);
  });
});
