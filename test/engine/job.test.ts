import { describe, expect, it } from "vitest";
import { ConfigSchema } from "../../src/config.ts";
import { idOf, renderQuestion } from "../../src/engine/job.ts";

const baseUrl = "https://media.example/api/v1";
const questionOf = (media: object) => {
  const config = ConfigSchema.parse({ origin: { baseUrl }, media });
  return renderQuestion({ sha256: "a".repeat(64), type: "image/png" }, config.media, "1");
};

describe("a job", () => {
  it("has another name with other settings of what is made", () => {
    const settings = [
      {},
      { quality: { jpeg: 70 } },
      { metadata: "strip" },
      { limitPixels: 5 },
      { animations: { frames: 3 } },
      { ffmpeg: "ffmpeg" },
    ];
    const names = settings.map((media) => idOf(questionOf(media)));
    expect(new Set(names).size).toBe(settings.length);
    expect(idOf(questionOf({}))).toBe(names[0]);
  });

  it("names no program of the machine that gives it", () => {
    expect(questionOf({ ffmpeg: "/opt/own/ffmpeg" })).toEqual(questionOf({ ffmpeg: "ffmpeg" }));
    expect(JSON.stringify(questionOf({ ffmpeg: "/opt/own/ffmpeg" }))).not.toContain("/opt");
  });
});
